"""The style sheet of plain controls, made from tokens. Item views are painted by delegates, never
by style sheets."""

from importlib import resources
from pathlib import Path

from emberscope_app.theme.tokens import Tokens

_ART = Path(str(resources.files("emberscope_resources"))) / "controls"


def style_sheet(t: Tokens) -> str:
    """Qt style sheet for one theme."""

    def art(name: str) -> str:
        return (_ART / f"{name}-{t.name}.svg").as_posix()

    return f"""
QMainWindow, QDialog {{ background: {t.bg0}; }}
QToolTip {{ background: {t.bg3}; color: {t.t1}; border: 1px solid {t.line2}; padding: 4px 8px; }}
QToolButton[role="tab"] {{ background: transparent; color: {t.t2}; border: 0; border-radius: 0; padding: 0 12px;
  border-bottom: 2px solid transparent; border-top: 2px solid transparent; font-size: 12px; font-weight: 500; }}
QToolButton[role="tab"][tight="true"] {{ padding: 0 7px; }}
QToolButton[role="tab"]:hover {{ color: {t.t1}; }}
QToolButton[role="tab"]:checked {{ background: transparent; color: {t.t1}; border-bottom: 2px solid {t.ink};
  font-weight: 600; }}
QToolButton[role="tab"]:focus {{ color: {t.ink}; }}
QToolButton[role="chip"] {{ background: transparent; border: 1px solid {t.line2}; border-radius: 12px; padding: 0 9px;
  color: {t.t2}; font-size: 11px; font-weight: 500; }}
QToolButton[role="chip"]:hover {{ background: {t.bg3}; }}
QToolButton[role="chip"]:checked {{ background: {t.bg4}; color: {t.t1}; border-color: {t.line2}; font-weight: 600; }}
QToolButton[role="chip"]:focus {{ border: 1px solid {t.ink}; }}
QMenuBar {{ background: transparent; color: {t.t1}; spacing: 0; }}
QMenuBar::item {{ padding: 6px 9px; border-radius: 4px; background: transparent; }}
QMenuBar::item:selected {{ background: {t.bg3}; }}
QMenu {{ background: {t.bg2}; color: {t.t1}; border: 1px solid {t.line2}; padding: 4px; }}
QMenu::item {{ padding: 5px 24px 5px 28px; border-radius: 4px; }}
QMenu::item:selected {{ background: {t.bg4}; }}
QMenu::item:disabled {{ color: {t.t3}; }}
QMenu::separator {{ height: 1px; background: {t.line}; margin: 4px 8px; }}
QMenu::indicator {{ width: 12px; height: 12px; left: 8px; }}
QMenu::indicator:checked {{ image: url({art("tick")}); }}
QMenu::right-arrow {{ width: 10px; height: 10px; }}
QLineEdit, QSpinBox, QDoubleSpinBox, QPlainTextEdit {{ background: {t.bg2}; color: {t.t1}; border: 1px solid {t.line2};
  border-radius: 4px; padding: 0 8px; min-height: 24px; selection-background-color: {t.ink};
  selection-color: {t.onink}; }}
QPlainTextEdit {{ border: 0; border-radius: 0; padding: 4px 8px; background: {t.bg1}; }}
QLineEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus {{ border: 1px solid {t.ink}; }}
QLineEdit[wrong="true"] {{ border: 1px solid {t.err}; }}
QLineEdit:disabled {{ color: {t.t3}; border-color: {t.line}; }}
QSpinBox::up-button, QSpinBox::down-button, QDoubleSpinBox::up-button, QDoubleSpinBox::down-button {{ width: 0;
  border: 0; }}
QComboBox {{ background: {t.bg2}; color: {t.t1}; border: 1px solid {t.line2}; border-radius: 4px; padding: 0 8px;
  min-height: 24px; font-weight: 500; }}
QComboBox:focus {{ border: 1px solid {t.ink}; }}
QComboBox::drop-down {{ border: 0; width: 22px; }}
QComboBox::down-arrow {{ image: url({art("chevron")}); width: 12px; height: 12px; }}
QCheckBox {{ color: {t.t1}; spacing: 8px; }}
QCheckBox::indicator {{ width: 14px; height: 14px; border: 1px solid {t.edge}; border-radius: 3px;
  background: transparent; }}
QCheckBox::indicator:checked {{ background: {t.ink}; border-color: {t.ink}; image: url({art("check")}); }}
QCheckBox::indicator:disabled {{ border-color: {t.line2}; }}
QCheckBox::indicator:focus, QRadioButton::indicator:focus {{ border-color: {t.ink}; background: {t.bg4}; }}
QCheckBox::indicator:checked:focus {{ background: {t.ink}; border-color: {t.edge}; }}
QRadioButton::indicator:checked:focus {{ border-color: {t.ink}; background: {t.edge}; }}
QRadioButton {{ color: {t.t1}; spacing: 8px; }}
QRadioButton::indicator {{ width: 10px; height: 10px; border: 2px solid {t.edge}; border-radius: 7px; }}
QRadioButton::indicator:checked {{ border: 4px solid {t.ink}; width: 6px; height: 6px; }}
QComboBox QAbstractItemView {{ background: {t.bg2}; color: {t.t1}; border: 1px solid {t.line2}; outline: 0;
  selection-background-color: {t.bg4}; selection-color: {t.t1}; padding: 4px; }}
QPushButton {{ background: {t.bg2}; color: {t.t1}; border: 1px solid {t.line2}; border-radius: 4px; padding: 0 12px;
  min-height: 26px; font-weight: 500; }}
QPushButton:hover {{ background: {t.bg3}; }}
QPushButton:pressed {{ background: {t.bg4}; }}
QPushButton:disabled {{ color: {t.t3}; border-color: {t.line}; }}
QPushButton:focus {{ border: 1px solid {t.ink}; }}
QPushButton[primary="true"] {{ background: {t.acc}; color: {t.onacc}; border: 0; min-height: 36px; font-size: 13px;
  font-weight: 600; }}
QPushButton[primary="true"]:focus {{ border: 2px solid {t.ink}; }}
QPushButton[primary="true"]:disabled {{ background: {t.bg3}; color: {t.t3}; }}
QPushButton[quiet="true"] {{ background: transparent; border: 0; color: {t.t1}; padding: 0 8px; font-weight: 600; }}
QPushButton[quiet="true"]:hover {{ background: {t.bg3}; }}
QPushButton[quiet="true"]:focus {{ background: {t.bg3}; border: 1px solid {t.ink}; padding: 0 7px; }}
QPushButton[quiet="true"]:disabled {{ color: {t.t3}; }}
QToolButton {{ background: transparent; border: 1px solid transparent; border-radius: 4px; color: {t.t2}; padding: 0; }}
QToolButton:hover {{ background: {t.bg3}; }}
QToolButton:pressed {{ background: {t.bg4}; }}
QToolButton:checked {{ background: {t.bg4}; color: {t.t1}; }}
QToolButton[tool="true"]:checked {{ background: {t.ink}; color: {t.onink}; }}
QToolButton:focus {{ border: 1px solid {t.ink}; }}
QToolButton[role="fold"]:checked {{ background: transparent; }}
QToolButton[role="fold"]:hover {{ background: {t.bg3}; }}
QToolButton::menu-indicator {{ image: none; }}
QScrollBar:vertical {{ background: transparent; width: 8px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: 8px; margin: 0; }}
QScrollBar::handle {{ background: {t.bg4}; border-radius: 3px; margin: 1px; min-height: 24px; min-width: 24px; }}
QScrollBar::handle:hover {{ background: {t.edge}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
QSlider::groove:horizontal {{ height: 4px; background: {t.bg4}; border-radius: 2px; }}
QSlider::sub-page:horizontal {{ background: {t.t1}; border-radius: 2px; }}
QSlider::handle:horizontal {{ background: {t.t1}; width: 12px; height: 12px; margin: -4px 0; border-radius: 6px; }}
QSlider::handle:horizontal:focus {{ background: {t.ink}; }}
QProgressBar {{ background: {t.bg4}; border: 0; border-radius: 2px; max-height: 4px; min-height: 4px; }}
QProgressBar::chunk {{ background: {t.acc}; border-radius: 2px; }}
QScrollArea, QAbstractScrollArea {{ border: 0; }}
QStatusBar {{ background: {t.bg1}; color: {t.t2}; font-size: 11px; }}
QStatusBar::item {{ border: 0; }}
QHeaderView {{ background: {t.bg1}; border: 0; }}
QHeaderView::section {{ background: {t.bg1}; color: {t.t2}; border: 0; border-bottom: 1px solid {t.line};
  padding: 0 8px; font-size: 11px; }}
QLabel[role="secondary"] {{ color: {t.t2}; font-size: 11px; }}
QLabel[role="hint"] {{ color: {t.t3}; font-size: 11px; }}
QLabel[role="title"] {{ color: {t.t1}; font-size: 12px; font-weight: 600; }}
QLabel[role="error"] {{ color: {t.err}; font-size: 11px; }}
QLabel[role="big"] {{ color: {t.t1}; font-size: 20px; font-weight: 600; }}
QFrame[role="strip"] {{ background: {t.bg2}; border: 0; }}
QFrame[role="line"] {{ background: {t.line}; border: 0; max-height: 1px; min-height: 1px; }}
QFrame[role="vline"] {{ background: {t.line2}; border: 0; max-width: 1px; min-width: 1px; }}
QFrame[role="segments"] {{ background: {t.bg2}; border: 1px solid {t.line}; border-radius: 4px; }}
QFrame[role="segments"] QToolButton {{ border: 0; border-radius: 3px; padding: 0 9px; color: {t.t2};
  font-weight: 500; }}
QFrame[role="segments"] QToolButton:checked {{ background: {t.bg4}; color: {t.t1}; font-weight: 600; }}
QFrame[role="segments"] QToolButton:disabled {{ color: {t.edge}; }}
QFrame[role="workspaces"] {{ background: {t.bg2}; border: 1px solid {t.line}; border-radius: 6px; }}
QFrame[role="workspaces"] QToolButton {{ border: 0; border-radius: 4px; padding: 0 20px; color: {t.t2};
  font-size: 12px; font-weight: 500; }}
QFrame[role="workspaces"] QToolButton:checked {{ background: {t.ink}; color: {t.onink}; font-weight: 600; }}
"""
