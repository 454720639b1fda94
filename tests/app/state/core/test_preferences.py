"""What the program remembers between starts."""

from emberscope_app.state.core.preferences import Preferences


def test_the_newest_project_is_the_first_of_the_recent_ones(tmp_path):
    preferences = Preferences()
    for name in ("a.ember", "b.ember", "a.ember"):
        (tmp_path / name).write_bytes(b"")
        preferences.add_recent(tmp_path / name)
    (tmp_path / "b.ember").unlink()
    preferences.add_recent(tmp_path / "c.ember")
    assert [path.name for path in Preferences().recent] == ["a.ember"]
