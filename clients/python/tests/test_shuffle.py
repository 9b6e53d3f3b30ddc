"""The order of an epoch is a function of its settings, and together the workers read each sample once."""

import sys
import unittest
from unittest import mock

from millrace import UsageError, WindowShuffle, shard_sizes, window_shuffle

SIZES = [5, 3, 8, 1, 7, 6, 0, 4, 9, 2]
TOTAL = sum(SIZES)


class WindowShuffleTest(unittest.TestCase):
    """Orders of samples in shards."""

    def test_order_is_the_same_everywhere_and_for_ever(self):
        # Whoever resumes a run with another release needs the order that it began with.
        expected = [3, 8, 5, 4, 7, 6, 2, 1, 0]
        self.assertEqual(list(window_shuffle([3, 2, 4], window=2, seed=7, epoch=1)), expected)

    def test_epochs_and_seeds_have_other_orders(self):
        orders = {tuple(window_shuffle(SIZES, seed=seed, epoch=epoch)) for seed in range(3) for epoch in range(3)}
        self.assertEqual(len(orders), 9)

    def test_parts_are_all_samples_once(self):
        for world_size, workers in ((1, 1), (2, 3), (5, 1), (7, 2), (50, 1)):
            with self.subTest(world_size=world_size, workers=workers):
                read = [
                    number
                    for rank in range(world_size)
                    for worker in range(workers)
                    for number in window_shuffle(
                        SIZES, window=2, rank=rank, world_size=world_size, worker=worker, workers=workers, even=False
                    )
                ]
                self.assertEqual(sorted(read), list(range(TOTAL)))

    def test_even_parts_are_equal_and_disjoint(self):
        parts = [list(window_shuffle(SIZES, rank=rank, world_size=7)) for rank in range(7)]
        self.assertEqual({len(part) for part in parts}, {TOTAL // 7})
        self.assertEqual(len(set().union(*parts)), TOTAL // 7 * 7)

    def test_samples_that_even_parts_leave_out_differ_between_epochs(self):
        left_out = set()
        for epoch in range(20):
            parts = [window_shuffle(SIZES, epoch=epoch, rank=rank, world_size=7) for rank in range(7)]
            left_out.add(frozenset(range(TOTAL)).difference(*parts))
        self.assertGreater(len(left_out), 1)

    def test_window_bounds_the_shards_that_are_read_at_a_time(self):
        sizes = [10] * 30
        order = [number // 10 for number in window_shuffle(sizes, window=3)]
        for first in range(0, 300, 30):
            self.assertEqual(len(set(order[first : first + 30])), 3)

    def test_samples_of_a_window_are_mixed(self):
        order = list(window_shuffle([100] * 4, window=4))
        self.assertGreater(len({number // 100 for number in order[:20]}), 2)

    def test_parts_that_are_not_are_refused(self):
        for settings in ({"rank": 1}, {"worker": -1}, {"window": 0}):
            with self.subTest(settings=settings), self.assertRaises(UsageError):
                window_shuffle(SIZES, **settings)


class SamplerTest(unittest.TestCase):
    """The sampler of a DataLoader."""

    def test_sampler_is_the_function_by_epoch(self):
        sampler = WindowShuffle(SIZES, window=3, seed=1, rank=1, world_size=2)
        for epoch in (0, 5):
            sampler.set_epoch(epoch)
            expected = list(window_shuffle(SIZES, window=3, seed=1, epoch=epoch, rank=1, world_size=2))
            self.assertEqual(list(sampler), expected)
            self.assertEqual(len(sampler), len(expected))

    def test_length_counts_uneven_shares(self):
        for rank in range(7):
            sampler = WindowShuffle(SIZES, rank=rank, world_size=7, even=False)
            self.assertEqual(len(sampler), len(list(sampler)))

    def test_rank_is_that_of_torch_if_it_is_set_up(self):
        distributed = mock.Mock()
        distributed.get_rank.return_value, distributed.get_world_size.return_value = 2, 4
        with mock.patch.dict(sys.modules, {"torch.distributed": distributed}):
            sampler = WindowShuffle(SIZES)
        self.assertEqual((sampler.rank, sampler.world_size), (2, 4))
        self.assertEqual(WindowShuffle(SIZES).world_size, 1)


class ShardSizesTest(unittest.TestCase):
    """The shards of items, however they are written."""

    def test_shards_are_archives_or_folders(self):
        items = ["t/1.tar/a", "t/1.tar/b/c", "t/2.zip/a", ("3.tar", "a"), {"objname": "3.tar", "archpath": "b"}]
        self.assertEqual(shard_sizes(items), [2, 1, 2])
        self.assertEqual(shard_sizes([["3.tar", "a"], {"objname": "3.tar", "archpath": "b", "length": None}]), [2])
        self.assertEqual(shard_sizes(["x/1", "x/2", "y/1", {"objname": "y/2"}, "z"]), [2, 2, 1])

    def test_what_is_no_item_is_told_with_it(self):
        with self.assertRaisesRegex(UsageError, "7 is no item"):
            shard_sizes(["a.tar/x", 7])
