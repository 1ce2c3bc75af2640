# Copyright 2026 mem_vla_ros contributors
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.
"""
The fault matrix: every row with what is promised and the tests that hold it.

`memvla docs` writes docs/faults.md from it. A row's own test carries its name.
"""

import ast
from dataclasses import dataclass
from pathlib import Path
import re

ROOT = Path(__file__).parents[2]
PAGE = ROOT / 'docs' / 'faults.md'

FAULTS = 'test/faults/'
OBSERVATION = FAULTS + 'test_observation_faults.py'
POLICY = FAULTS + 'test_policy_faults.py'
SENDER = FAULTS + 'test_time_and_sender_faults.py'
HIGH_LEVEL = FAULTS + 'test_high_level_faults.py'
START = FAULTS + 'test_start_faults.py'
PROCESSES = FAULTS + 'test_killed_processes_launch.py'
GRAPH = FAULTS + 'test_faults_in_the_graph_launch.py'
SENSORS = FAULTS + 'test_sensor_faults_launch.py'
IMAGES_TEST = 'test_wrong_encoding_wrong_size_and_truncated_data_hold_until_images_are_good'
JOINTS_TEST = 'test_nan_inf_joint_states_and_missing_joints_hold_until_joints_are_good'
GRAPH_MODEL_TEST = (
    'test_1_model_exception_nan_or_jumping_action_and_model_too_slow_move_nothing_unsafe')
RANDOM_KILLS = FAULTS + 'test_random_kills_launch.py'
HISTORY = 'test/unit/execution/test_history.py'
GATE = 'test/unit/execution/test_safety_gate.py'
LOOP = 'test/unit/policies/test_low_level_loop.py'
CHECKPOINT = 'test/unit/models/test_checkpoint.py'
JOURNAL = 'test/unit/memory/test_memory_journal.py'
RECORDS = 'test/unit/memory/test_record_file.py'
HTTP = 'test/inspector_web/test_http_security.py'
BROWSER = 'test/inspector_web/test_page_in_browser.py'
INSPECTOR = 'test/system/test_inspector_launch.py'


@dataclass(frozen=True)
class Row:
    """
    One fault.

    :param expected: What happens, as it is tested.
    :param tests: File and function of each test that holds it.
    """

    fault: str
    expected: str
    tests: tuple[tuple[str, str], ...]

    @property
    def slug(self) -> str:
        """Return the name of the row as tests carry it."""
        return re.sub(r'[^a-z0-9]+', '_', self.fault.lower()).strip('_')


ROWS = (
    Row('Camera drop-out',
        'WARN after 0.2 s, HOLD after 0.5 s, by camera; no chunk is made from an old frame, the '
        'running one ends at rest; resumes alone',
        ((OBSERVATION, 'test_camera_drop_out_holds_by_name_and_resumes_alone'),
         (GRAPH, 'test_2_camera_drop_out_holds_and_resumes_alone'),
         (HISTORY, 'test_last_frame_of_a_dead_camera_is_never_current'),
         (GATE, 'test_watchdog_warns_then_holds'))),
    Row('Stale or future stamp',
        'Refused by age (older than 0.5 s, more than 50 ms ahead), counted; HOLD if all are',
        ((OBSERVATION, 'test_stale_or_future_stamp_is_refused_and_holds'),
         (SENSORS, 'test_stale_or_future_stamp_or_a_frozen_one_holds_until_stamps_are_good'),
         (HISTORY, 'test_bad_stamp_is_refused_by_name'))),
    Row('Out-of-order stamps', 'The older frame is dropped; history stays sorted',
        ((OBSERVATION, 'test_out_of_order_stamps_drop_the_older_frame'),
         (HISTORY, 'test_out_of_order_frames_leave_history_sorted'))),
    Row('Clock jump, bag loop',
        'A clock that goes back ends the episode: history empty, arm brakes, memory in a new '
        'episode; watchdogs run on steady time',
        ((SENDER, 'test_clock_jump_bag_loop_ends_the_episode_and_the_loop_goes_on'),
         (SENSORS, 'test_clock_jump_bag_loop_ends_the_episode_and_the_loop_goes_on'),
         (HIGH_LEVEL, 'test_clock_jump_bag_loop_marks_the_memory_with_a_new_episode'),
         ('test/nodes/test_bag_player.py', 'test_loop_sets_time_back'))),
    Row('Wrong encoding', 'Refused before conversion; the accepted ones are listed',
        ((OBSERVATION, 'test_wrong_encoding_is_refused_with_those_that_are_accepted'),
         (SENSORS, IMAGES_TEST),
         ('test/unit/core/test_images.py', 'test_every_encoding_gives_the_same_rgb'))),
    Row('Wrong size', 'Refused, or resized if `image_size` is set',
        ((OBSERVATION, 'test_wrong_size_is_refused'),
         (SENSORS, IMAGES_TEST),
         (HISTORY, 'test_changed_image_size_is_refused_unless_configured'))),
    Row('Truncated data', 'Refused; the node lives and takes the next good frame',
        ((OBSERVATION, 'test_truncated_data_never_ends_the_node'),
         (SENSORS, IMAGES_TEST),
         ('test/unit/core/test_images.py', 'test_contradictory_fields_are_refused_by_kind'))),
    Row('NaN/Inf joint states',
        'Message refused, joints named; WARN after 0.1 s, HOLD after 0.5 s without a good one',
        ((OBSERVATION, 'test_nan_inf_joint_states_are_refused_and_hold'),
         (SENSORS, JOINTS_TEST),
         (HISTORY, 'test_joint_that_is_not_finite_is_refused'),
         (GATE, 'test_watchdog_warns_then_holds'))),
    Row('Missing joints', 'The same; the missing ones are listed',
        ((OBSERVATION, 'test_missing_joints_hold_and_are_listed'),
         (SENSORS, JOINTS_TEST),
         (HISTORY, 'test_missing_joints_are_listed'))),
    Row('Reordered joints', 'Mapped by name',
        ((OBSERVATION, 'test_reordered_joints_give_the_same_observation'),
         (HISTORY, 'test_joints_are_mapped_by_name_whatever_the_order'))),
    Row('NaN or jumping action',
        'The whole chunk is rejected, HOLD; the third in a row is a FAULT, and the last chunks '
        'are written to `fault_dump_folder`',
        ((POLICY, 'test_nan_or_jumping_action_is_rejected_whole_and_the_third_is_a_fault'),
         (GRAPH, GRAPH_MODEL_TEST),
         (POLICY, 'test_nan_action_does_not_leave_the_low_level'),
         ('test/unit/execution/test_chunk_player.py',
          'test_no_sequence_of_chunks_makes_an_unsafe_command'))),
    Row('Model exception',
        'Caught in one place, retried after a pause that doubles; the fifth in a row is a FAULT',
        ((POLICY, 'test_model_exception_is_caught_and_retried'),
         (GRAPH, GRAPH_MODEL_TEST),
         (POLICY, 'test_fifth_model_exception_in_a_row_is_a_fault'),
         (LOOP, 'test_exception_at_the_nth_call_never_leaves_the_loop'))),
    Row('Model too slow',
        'An answer to an observation older than `max_chunk_age` is dropped; the old chunk ends '
        'at rest',
        ((POLICY, 'test_model_too_slow_is_discarded_and_the_old_chunk_ends_at_rest'),
         (GRAPH, GRAPH_MODEL_TEST),
         (LOOP, 'test_late_answer_is_discarded_and_enters_the_forecast'))),
    Row('Model hangs', 'Named after `inference_deadline`, HOLD; inputs are still taken',
        ((POLICY, 'test_model_hangs_until_the_deadline_names_it'),
         (LOOP, 'test_hanging_policy_blocks_no_input_and_shows_for_how_long'))),
    Row('Out of memory', 'One retry with the current frames alone, then FAULT',
        ((POLICY, 'test_out_of_memory_is_retried_with_less_history'),
         (POLICY, 'test_out_of_memory_again_is_a_fault'))),
    Row('HL killed -9 mid-episode',
        'The low level goes on with its subtask until `subtask_timeout`, then HOLD; the high '
        'level comes back in the same episode with its memory',
        ((PROCESSES, 'test_hl_killed_9_mid_episode_comes_back_in_the_same_episode'),
         (SENDER, 'test_hl_killed_9_mid_episode_holds_after_the_subtask_timeout'),
         (JOURNAL, 'test_kill_at_twenty_random_moments_loses_nothing_before_the_kill'),
         (RANDOM_KILLS, 'test_twenty_random_kills_end_in_a_moving_arm'))),
    Row('LL killed',
        'The executor plays to rest and holds; a restarted one takes over after a second as a '
        'new session',
        ((PROCESSES, 'test_ll_killed_lets_the_executor_hold_until_a_new_session'),
         ('test/unit/execution/test_chunk_origin.py',
          'test_restarted_session_takes_over_after_the_timeout'),
         (RANDOM_KILLS, 'test_twenty_random_kills_end_in_a_moving_arm'))),
    Row('Executor killed',
        'The controller plays the last command to rest (0.5 s); a restarted executor takes only '
        'new chunks',
        ((PROCESSES, 'test_executor_killed_leaves_the_arm_at_rest_until_it_is_back'),
         (RANDOM_KILLS, 'test_twenty_random_kills_end_in_a_moving_arm'))),
    Row('Checkpoint absent or corrupt',
        'The node refuses to configure and says why; never random weights, never pickle',
        ((START, 'test_checkpoint_absent_or_corrupt_is_refused_with_a_reason'),
         (CHECKPOINT, 'test_truncated_weights_are_refused'),
         (CHECKPOINT, 'test_flipped_bit_is_refused'),
         (CHECKPOINT, 'test_wrong_shape_is_refused_by_name'),
         (CHECKPOINT, 'test_pickle_anywhere_in_the_folder_is_refused'))),
    Row('Corrupt memory file',
        'The valid records are kept, the rest goes to a `.corrupt` file, its size is reported',
        ((HIGH_LEVEL, 'test_corrupt_memory_file_keeps_its_valid_records_and_is_reported'),
         (RECORDS, 'test_truncation_at_every_byte_keeps_the_whole_records_and_moves_the_rest'),
         (RECORDS, 'test_a_flip_of_any_bit_of_any_byte_keeps_exactly_the_records_before_it'))),
    Row('Disk full, read-only',
        'The episode goes on in RAM with a WARN; writing is retried; no partial record',
        ((HIGH_LEVEL, 'test_disk_full_read_only_warns_and_the_episode_goes_on_in_ram'),
         (RECORDS, 'test_file_size_limit_leaves_no_partial_record'),
         (JOURNAL, 'test_full_disk_keeps_records_in_ram_and_writes_them_later'))),
    Row('Hostile memory text',
        'Control, bidi and ANSI characters are escaped, length is bounded; changes no parameter',
        ((HIGH_LEVEL, 'test_hostile_memory_text_is_escaped_and_changes_no_parameter'),
         ('test/unit/memory/test_memory_state.py', 'test_hostile_text_is_refused_or_harmless'),
         ('test/unit/policies/test_high_level_loop.py',
          'test_hostile_answers_change_nothing_but_subtask_and_memory'))),
    Row('Oversized goal text', 'Rejected, the limit named; never cut; the old goal stays',
        ((HIGH_LEVEL, 'test_oversized_goal_text_is_rejected_and_the_old_goal_stays'),
         ('test/nodes/test_bad_input.py',
          'test_an_oversized_goal_is_rejected_and_the_limit_named'))),
    Row('Goal flood', 'The newest wins, ten a second at most; chunks keep their rate',
        ((HIGH_LEVEL, 'test_goal_flood_costs_ten_goals_a_second_and_the_newest_wins'),
         (PROCESSES, 'test_goal_flood_leaves_the_rate_of_chunks'))),
    Row('DDS partition',
        'Shown by processes that stand still (SIGSTOP): the arm rests, and no old chunk is '
        'played afterwards',
        ((PROCESSES, 'test_dds_partition_of_the_low_level_holds_and_heals'),
         (PROCESSES, 'test_dds_partition_of_the_executor_leaves_the_arm_at_rest'))),
    Row('Second publisher',
        'WARN by count; the executor is bound to one session, two that both go on are a FAULT; '
        '`config/sros2_policy.xml` keeps others out',
        ((SENDER, 'test_second_publisher_is_warned_of_and_two_sessions_are_a_fault'),
         (GRAPH, 'test_3_second_publisher_is_not_heard_and_is_a_fault'),
         (SENDER, 'test_second_publisher_is_kept_out_by_the_shipped_sros2_policy'),
         (SENDER, 'test_shipped_sros2_policy_allows_a_node_all_that_it_does'))),
    Row('Inspector: XSS', 'Text stays text; the content policy blocks inline scripts',
        ((BROWSER, 'test_markup_stays_text_everywhere'),
         (BROWSER, 'test_inline_script_is_blocked_by_the_policy'),
         (HTTP, 'test_every_answer_carries_the_security_headers'))),
    Row('Inspector: CSRF, rebinding', 'Token, type, origin and host must all be right',
        ((HTTP, 'test_action_with_one_thing_wrong_is_refused'),
         (HTTP, 'test_foreign_host_is_refused'))),
    Row('Inspector: path traversal', 'A fixed table of paths; anything else is not found',
        ((HTTP, 'test_path_outside_the_table_is_not_found'),
         (HTTP, 'test_zero_byte_in_a_path_is_refused'))),
    Row('Inspector: slowloris', 'Slow connections are cut off and bounded; chunks keep their rate',
        ((HTTP, 'test_two_hundred_slow_sockets_leave_recording_and_page_alive'),
         (INSPECTOR, 'test_flood_and_kill_of_the_inspector_leave_the_policy_alone'))),
    Row('Inspector: unauthenticated edit', 'Refused; without `allow_edit` there is no editing',
        ((HTTP, 'test_server_without_a_token_refuses_every_action'),
         (BROWSER, 'test_edit_without_the_token_does_not_reach_the_robot'))),
    Row('Inspector dies', 'The policy does not notice',
        ((INSPECTOR, 'test_flood_and_kill_of_the_inspector_leave_the_policy_alone'),)),
    Row('Bad parameter', 'The node refuses to configure and names what is allowed',
        ((START, 'test_bad_parameter_of_every_node_is_refused_with_its_range'),)),
)

INTRODUCTION = '''\
# Faults

Written by `memvla docs` from `test/faults/rows.py`; do not edit. Each row is held by the tests
that it names, and a row without tests fails the suite.

In every row: no command is non-finite, outside of the limits or longer than 0.5 s, and each ends
at rest; the arm rests within 0.5 s of the end of the last valid chunk; the fault is on
`/diagnostics` by name; processes stay up or are started again. Only what a row tests is promised.
This is no safety-rated stop: a hardware emergency stop is required.

Kinds of tests: unit; node (in process); launch (the whole graph in processes of its own); page
(HTTP or a browser). Slow ones run by `make test-slow`.

| Fault | What happens | Tests |
|---|---|---|
'''


def fault_page() -> str:
    """Return docs/faults.md."""
    return INTRODUCTION + ''.join(
        f'| {row.fault} | {row.expected} | {"; ".join(_shown(*test) for test in row.tests)} |\n'
        for row in ROWS)


def test_names(file: str) -> set[str]:
    """Return the names of all tests in a file."""
    tree = ast.parse((ROOT / file).read_text(encoding='utf-8'))
    return {node.name for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef) and node.name.startswith('test_')}


def _shown(file: str, name: str) -> str:
    words = name.removeprefix('test_').replace('_', ' ')
    return f'[{words}](../{file}) ({_kind(file)})'


def _kind(file: str) -> str:
    if file == RANDOM_KILLS:
        return 'launch, slow'
    if 'inspector_web' in file:
        return 'page'
    if file.endswith('_launch.py'):
        return 'launch'
    return 'unit' if '/unit/' in file else 'node'


if __name__ == '__main__':
    PAGE.write_text(fault_page(), encoding='utf-8')
    print(PAGE.relative_to(ROOT))
