"""What the rows of the action table about studies do."""

from emberscope_app.shell.host import Host


def toggle_study(window: Host) -> None:
    """The sheet of a study; once more closes it."""
    from emberscope_app.sheets.study import StudySheet

    if isinstance(window.sheet, StudySheet):
        window.sheet.close_sheet()
    else:
        window.show_sheet(StudySheet(window.session, window))
