"""Help pages in their sheet."""

from importlib import resources

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QTextDocument, QTextTable
from PySide6.QtWidgets import QApplication, QWidget

from emberscope.base.param import Param
from emberscope.tasks.methods import DescribeMethods, Methods
from emberscope_app.sheets.page_text import dress, heading, slug_of
from emberscope_app.shell.actions import ACTIONS
from emberscope_app.shell.commands import show_help
from emberscope_app.shell.help_sheet import METHOD_PAGES, TITLES, HelpSheet
from emberscope_app.theme.look import current, look


def links(document):
    """Targets of all links of a document."""
    block, found = document.begin(), []
    while block.isValid():
        found += [run.format.anchorHref() for run in block.textFormats() if run.format.isAnchor()]
        block = block.next()
    return found


@pytest.fixture
def sheet(qtbot, empty_session):
    host = QWidget()
    qtbot.addWidget(host)
    host.resize(1200, 900)
    host.show()
    return HelpSheet("first-steps", host, session=empty_session)


def test_every_page_of_the_resources_has_a_title_and_a_row_in_the_help_menu():
    entries = (resources.files("emberscope_resources") / "help").iterdir()
    names = {entry.name.removesuffix(".md") for entry in entries if entry.name.endswith(".md")}
    in_menu = {
        row.run.keywords["page"]: row.title
        for row in ACTIONS
        if getattr(row.run, "func", None) is show_help
    }
    assert set(TITLES) == names
    assert in_menu == {**TITLES, "about": "About Emberscope"}


@pytest.mark.parametrize("page", TITLES)
def test_a_page_opens_with_its_title(sheet, page):
    sheet.show_page(page)
    assert sheet.pages.currentData() == page
    assert sheet.view.toPlainText().strip()


def test_images_of_a_page_are_shown(sheet):
    sheet.show_page("concepts")
    document = sheet.view.document()
    image = document.resource(
        QTextDocument.ResourceType.ImageResource.value, QUrl("images/concepts-dock.png")
    )
    assert not image.isNull()
    assert (
        sheet.view.loadResource(QTextDocument.ResourceType.ImageResource.value, QUrl("../about.md"))
        is None
    )


def test_an_image_leaves_no_gap_below_it(sheet):
    sheet.show_page("concepts")
    block = sheet.view.document().begin()
    while "\ufffc" not in block.text():
        block = block.next()
    assert block.blockFormat().lineHeight() == 100


def test_help_opens_at_the_top_of_its_page(full_window):
    full_window.actions_by_id["help.methods"].trigger()
    full_window.sheet.view.finish()
    QApplication.processEvents()
    bar = full_window.sheet.view.verticalScrollBar()
    assert bar.maximum() > 0
    assert bar.value() == 0


def test_a_link_with_a_heading_scrolls_there(sheet):
    sheet.follow(QUrl("maps#how-far-to-believe-a-map"))
    sheet.view.finish()  # a long page comes in parts
    assert sheet.pages.currentData() == "maps"
    assert sheet.view.verticalScrollBar().value() > 500


def test_another_page_starts_at_its_top(sheet):
    sheet.follow(QUrl("maps#how-far-to-believe-a-map"))
    sheet.show_page("commands")
    sheet.view.finish()
    assert sheet.view.verticalScrollBar().value() == 0


def test_a_long_page_is_made_in_turns_of_the_event_loop_and_then_scrolls_to_its_heading(
    sheet, qtbot
):
    sheet.follow(QUrl("commands#recover"))
    assert "First steps" in sheet.view.toPlainText()
    qtbot.waitUntil(lambda: "First steps" not in sheet.view.toPlainText())
    assert sheet.view.verticalScrollBar().value() > 0


def test_a_page_asked_for_while_a_long_one_is_made_takes_its_place(sheet, qtbot):
    sheet.show_page("methods")
    sheet.show_page("about")
    about = sheet.view.toPlainText()
    qtbot.wait(50)
    assert sheet.view.toPlainText() == about
    assert "VERSION" not in about


@pytest.mark.parametrize("page", METHOD_PAGES)
def test_the_page_of_a_method_opens_with_its_title_under_methods(sheet, page):
    sheet.follow(QUrl(page))
    assert sheet.pages.currentData() == "methods"
    assert METHOD_PAGES[page].title in sheet.view.toPlainText()


def test_a_method_page_leads_to_other_methods_and_back_to_the_index(sheet):
    sheet.follow(QUrl("methods/mi-umap"))
    assert {"methods/umap", "methods"} <= set(links(sheet.view.document()))


def test_the_page_of_a_method_has_its_parameters_once_the_worker_has_answered(
    sheet, empty_session, worker
):
    sheet.show_page("methods/pca")
    assert "Parameters" not in sheet.view.toPlainText()
    width = Param("width", "float", 0.5, low=0, title="Width", help="How wide.")
    worker.finish(worker.submitted[-1].job, Methods({"pca": (width,)}))
    empty_session.jobs._poll()
    assert "How wide." in sheet.view.toPlainText()


def test_parameters_are_asked_for_once(sheet, worker):
    sheet.show_page("methods/pca")
    sheet.show_page("methods/umap")
    assert [job.request for job in worker.submitted] == [DescribeMethods()]


def test_a_page_opens_at_the_heading_it_is_asked_for(qtbot, empty_session):
    host = QWidget()
    qtbot.addWidget(host)
    host.resize(1200, 900)
    host.show()
    sheet = HelpSheet("labels#conflicts", host, session=empty_session)
    sheet.view.finish()  # a long page comes some turns of the event loop later
    assert sheet.pages.currentData() == "labels"
    assert sheet.view.verticalScrollBar().value() > 0


def test_a_link_to_no_page_is_ignored(sheet):
    sheet.follow(QUrl("https://example.org"))
    assert sheet.pages.currentData() == "first-steps"


def test_the_list_opens_a_page(sheet, qtbot):
    sheet.pages.activated.emit(sheet.pages.findData("files"))
    sheet.view.finish()  # a long page comes in parts
    assert "NAME.ember" in sheet.view.toPlainText()


def test_headings_are_found_as_links_write_them(sheet):
    sheet.show_page("maps")
    sheet.view.finish()
    assert heading(sheet.view.document(), "how-far-to-believe-a-map") is not None
    assert heading(sheet.view.document(), "no-such-heading") is None
    assert slug_of("k-NN accuracy") == "k-nn-accuracy"


def test_a_table_after_code_has_no_empty_line_in_its_head(sheet):
    sheet.show_page("files")
    sheet.view.finish()
    table = next(
        f for f in sheet.view.document().rootFrame().childFrames() if isinstance(f, QTextTable)
    )
    assert table.cellAt(0, 0).firstCursorPosition().block().text() == "folder"


def test_a_name_in_a_table_is_not_broken_into_two_lines(qtbot):
    meaning = "Number of coordinates of the embedding; two or three to look at, more to classify in"
    page = QTextDocument()
    page.setMarkdown(f"| parameter | default | range | meaning |\n|-|-|-|-|\n"
                     f"| `n_components` | 2 | 1 - 512 | {meaning} |\n")
    for _ in dress(page):
        pass
    page.setTextWidth(360)
    page.size()  # lays it out
    name = page.find("n_components").block()
    assert name.layout().lineCount() == 1


def test_the_column_with_the_long_texts_is_the_widest(sheet):
    sheet.show_page("commands")
    sheet.view.finish()
    tables = [
        f for f in sheet.view.document().rootFrame().childFrames() if isinstance(f, QTextTable)
    ]
    shares = [length.rawValue() for length in tables[0].format().columnWidthConstraints()]
    texts = [max(len(tables[0].cellAt(row, column).firstCursorPosition().block().text())
                 for row in range(tables[0].rows())) for column in range(tables[0].columns())]
    assert shares.index(max(shares)) == texts.index(max(texts))


def test_tables_follow_the_theme(sheet):
    def head_line():
        found = next(
            f for f in sheet.view.document().rootFrame().childFrames() if isinstance(f, QTextTable)
        )
        return found.cellAt(0, 0).format().toTableCellFormat().bottomBorderBrush().color().name()

    sheet.show_page("maps")
    sheet.view.finish()
    dark = head_line()
    look().apply("light")
    sheet.view.finish()
    assert head_line() == current().line2.lower() != dark
    look().apply("dark")
