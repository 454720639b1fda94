"""What maps show beside dots, as data: strips of one axis, points that stand for bags, rankings."""
