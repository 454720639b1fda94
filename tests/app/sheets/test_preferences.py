"""The sheet of preferences: whose labels are drawn."""

import pytest

from emberscope_app.sheets.preferences import PreferencesSheet
from emberscope_app.shell import commands
from emberscope_app.state.labels import signing
from emberscope_app.state.labels.signing import author, own_name, signature


@pytest.fixture
def sheet(window, monkeypatch):
    monkeypatch.setattr(signing.getpass, "getuser", lambda: "login")
    commands.show_preferences(window)
    assert isinstance(window.sheet, PreferencesSheet)
    return window.sheet


def write(sheet, name):
    sheet.name.setText(name)
    sheet.name.textEdited.emit(name)


def test_a_name_is_kept_and_signs_nothing_by_itself(window, sheet, screenshot):
    write(sheet, "Änne Ω")
    assert (own_name(), author(), signature()) == ("Änne Ω", "", None)
    screenshot(window, "preferences")


def test_labels_are_signed_with_that_name_once_it_is_switched_on(sheet):
    write(sheet, "Änne")
    sheet.sign.click()
    assert signature().author == "Änne"
    write(sheet, "Bo")
    assert signature().author == "Bo"
    sheet.sign.click()
    assert signature() is None


def test_without_a_name_it_is_the_one_of_the_login(sheet):
    write(sheet, "")
    sheet.sign.click()
    assert author() == "login"


def test_where_nobody_has_a_name_labels_cannot_be_signed(window, monkeypatch):
    monkeypatch.setattr(signing.getpass, "getuser", lambda: (_ for _ in ()).throw(KeyError("uid")))
    commands.show_preferences(window)
    assert not window.sheet.sign.isEnabled()
