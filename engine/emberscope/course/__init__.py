"""The one way in which something is computed: a plan, stages in order, and what runs them.

`plan` resolves a recipe once. `stage` says what a stage is; they lie in `stages`, one file each,
and are pure functions of the plan and their inputs. `runner` does them, keeps their results, shows
progress and stops. `of_project` and `of_points` begin a course: of a project's labels, or of rows
of numbers that are there already.
"""
