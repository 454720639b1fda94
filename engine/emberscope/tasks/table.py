"""Who answers which request: every question that can be asked of the engine, and nothing else."""

from emberscope.tasks.comparison import CompareMaps, compare_maps
from emberscope.tasks.concepts import PlaceConcepts, ShowConcepts, place_concepts, show_concepts
from emberscope.tasks.doubtful import FindDoubtful, find_doubtful
from emberscope.tasks.evaluation import (
    CompareRuns,
    CutSlices,
    JudgeRun,
    compare_runs,
    cut_slices,
    judge_run,
)
from emberscope.tasks.export import (
    ExportProject,
    LookAtExport,
    export_project,
    look_at_export,
)
from emberscope.tasks.figures import NameFigures, SaveFigure, name_figures, save_figure
from emberscope.tasks.imports import ImportFiles, import_files
from emberscope.tasks.measures import (
    MeasureAxes,
    MeasureCeiling,
    MeasureCeilings,
    MeasureRow,
    MeasureRun,
    measure_axes,
    measure_ceiling,
    measure_ceilings,
    measure_row,
    measure_run,
)
from emberscope.tasks.methods import DescribeMethods, describe_methods
from emberscope.tasks.motions import DescribeActions, LocateViews, describe_actions, locate_views
from emberscope.tasks.neighbors import (
    CompareNeighbors,
    MeasureReach,
    compare_neighbors,
    measure_reach,
)
from emberscope.tasks.points import (
    ClassifyPoints,
    ConvertPoints,
    DescribePoints,
    EmbedPoints,
    MakePoints,
    classify_points,
    convert_points,
    describe_points,
    embed_points,
    make_points,
)
from emberscope.tasks.questions import (
    ChooseQuestions,
    PrepareQuestions,
    choose_questions,
    prepare_questions,
)
from emberscope.tasks.recipes import JudgeSizes, SuggestRecipe, judge_sizes, suggest_recipe
from emberscope.tasks.request import Table
from emberscope.tasks.runs import (
    EstimateRun,
    MakeRun,
    ReplayRun,
    estimate_run,
    make_run,
    replay_run,
)
from emberscope.tasks.scoring import (
    FindScored,
    LookAtClips,
    PlanClips,
    ScoreClips,
    find_scored,
    look_at_clips,
    plan_clips,
    score_clips,
)
from emberscope.tasks.studies import (
    FillStudy,
    LookAtCluster,
    PlanStudy,
    ReportStudy,
    fill_study,
    look_at_cluster,
    plan_study,
    report_study,
)
from emberscope.tasks.synthetic import DrawChips, MakeSample, draw_chips, make_sample
from emberscope.tasks.trial import AddOne, WaitUntilStopped, add_one, wait_until_stopped
from emberscope.tasks.truth import (
    CountTruth,
    FindTruth,
    ImportTruth,
    count_truth,
    find_truth,
    import_truth,
)
from emberscope.tasks.tuning import TuneNetwork, tune_network

TABLE = Table({
    AddOne: add_one,
    ChooseQuestions: choose_questions,
    ClassifyPoints: classify_points,
    CompareMaps: compare_maps,
    CompareNeighbors: compare_neighbors,
    MeasureReach: measure_reach,
    CompareRuns: compare_runs,
    ConvertPoints: convert_points,
    CountTruth: count_truth,
    CutSlices: cut_slices,
    DescribeActions: describe_actions,
    DescribeMethods: describe_methods,
    DescribePoints: describe_points,
    DrawChips: draw_chips,
    EmbedPoints: embed_points,
    EstimateRun: estimate_run,
    ExportProject: export_project,
    FillStudy: fill_study,
    FindDoubtful: find_doubtful,
    FindScored: find_scored,
    FindTruth: find_truth,
    ImportFiles: import_files,
    ImportTruth: import_truth,
    JudgeRun: judge_run,
    JudgeSizes: judge_sizes,
    LocateViews: locate_views,
    LookAtClips: look_at_clips,
    LookAtCluster: look_at_cluster,
    LookAtExport: look_at_export,
    MakePoints: make_points,
    MakeRun: make_run,
    MakeSample: make_sample,
    MeasureAxes: measure_axes,
    MeasureCeiling: measure_ceiling,
    MeasureCeilings: measure_ceilings,
    MeasureRow: measure_row,
    MeasureRun: measure_run,
    NameFigures: name_figures,
    PlaceConcepts: place_concepts,
    PlanClips: plan_clips,
    PlanStudy: plan_study,
    PrepareQuestions: prepare_questions,
    ReplayRun: replay_run,
    ReportStudy: report_study,
    SaveFigure: save_figure,
    ScoreClips: score_clips,
    ShowConcepts: show_concepts,
    SuggestRecipe: suggest_recipe,
    WaitUntilStopped: wait_until_stopped,
    TuneNetwork: tune_network,
})  # fmt: skip
