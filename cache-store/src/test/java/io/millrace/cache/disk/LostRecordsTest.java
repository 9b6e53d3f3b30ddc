package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cache.Copied;
import io.millrace.cache.index.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a damaged segment has lost may have replaced or taken out a head that is found elsewhere: that must not be believed. */
class LostRecordsTest {
    @TempDir
    Path folder;

    /** What becomes of a segment while nobody looks. */
    enum Damage {
        HEADER {
            @Override
            byte[] of(byte[] whole) {
                return flipped(whole, 3);
            }
        },
        FIRST_RECORD {
            @Override
            byte[] of(byte[] whole) {
                return flipped(flipped(whole, Segment.HEADER + 20), whole.length - 60);
            }
        },
        MAGIC_OF_THE_FIRST_RECORD {
            @Override
            byte[] of(byte[] whole) {
                return flipped(flipped(whole, Segment.HEADER), whole.length - 60);
            }
        },
        CUT_BEHIND_THE_HEADER {
            @Override
            byte[] of(byte[] whole) {
                return Arrays.copyOf(whole, Segment.HEADER);
            }
        },
        CUT_IN_THE_FIRST_RECORD {
            @Override
            byte[] of(byte[] whole) {
                return Arrays.copyOf(whole, Segment.HEADER + 150);
            }
        },
        EMPTY {
            @Override
            byte[] of(byte[] whole) {
                return new byte[0];
            }
        };

        abstract byte[] of(byte[] whole);

        private static byte[] flipped(byte[] whole, int at) {
            byte[] damaged = whole.clone();
            damaged[at] ^= 1;
            return damaged;
        }
    }

    @ParameterizedTest
    @EnumSource
    void headWhoseTombstoneIsLostIsDoubtfulNowAndLater(Damage damage) throws IOException {
        headAndTombstone("16MiB");
        damageLast(damage);

        for (int start = 0; start < 3; start++) {
            try (RecordStore store = Stores.open(folder, "16MiB")) {
                assertThat(isFound(store, 1)).as("the head, start %d", start).isTrue();
                assertThat(isDoubtful(store, 1)).as("start %d", start).isTrue();
                // What was written since then can be believed.
                Stores.stored(Stores.write(store, Kind.HEAD, 100 + start, 0));
                assertThat(isDoubtful(store, 100 + start)).isFalse();
            }
        }
    }

    @Test
    void headsOfOtherDisksAreDoubtfulToo() throws IOException {
        try (RecordStore store = Stores.open(folder, "16MiB", "16MiB")) {
            for (int i = 0; i < 20; i++) {
                Stores.stored(Stores.write(store, Kind.HEAD, i, 0));
            }
        }
        Path segment = last(folder.resolve("disk-0"));
        Files.write(segment, Damage.CUT_BEHIND_THE_HEADER.of(Files.readAllBytes(segment)));

        try (RecordStore store = Stores.open(folder, "16MiB", "16MiB")) {
            int found = 0;
            for (int i = 0; i < 20; i++) {
                if (isFound(store, i)) {
                    found++;
                    assertThat(isDoubtful(store, i)).isTrue();
                }
            }
            assertThat(found).isBetween(1, 19);
        }
    }

    @Test
    void whatAKillLeavesIsNoDamage() throws IOException {
        try (RecordStore store = Stores.open(folder, "16MiB")) {
            Stores.stored(Stores.write(store, Kind.HEAD, 1, 0));
            Stores.stored(Stores.write(store, Kind.BLOCK, 2, 100_000));
        }
        Path segment = last(folder.resolve("disk-0"));
        byte[] whole = Files.readAllBytes(segment);
        for (int length : new int[] {whole.length - 200, 60_000, 2000, 400}) {
            for (boolean killed : new boolean[] {true, false}) {
                Path copy = folder.resolve("at-%d-%s".formatted(length, killed));
                Copied.folder(folder.resolve("disk-0"), copy.resolve("disk-0"));
                Files.write(last(copy.resolve("disk-0")), Arrays.copyOf(whole, length));
                setClean(copy, !killed);
                try (RecordStore store = Stores.open(copy, "16MiB")) {
                    assertThat(isFound(store, 1)).isTrue();
                    assertThat(isDoubtful(store, 1))
                            .as("%d, %s", length, killed)
                            .isEqualTo(!killed);
                }
            }
        }
    }

    @Test
    void aSegmentThatWasJustBegunWhenTheProcessWasKilledIsNoDamage() throws IOException {
        headAndTombstone("16MiB");
        Files.write(folder.resolve("disk-0").resolve("00000099.seg"), new byte[0]);
        setClean(folder, false);

        try (RecordStore store = Stores.open(folder, "16MiB")) {
            assertThat(isFound(store, 1)).isFalse();
            assertThat(isFound(store, 3)).isTrue();
            assertThat(isDoubtful(store, 3)).isFalse();
        }
    }

    /** A head in the first segment, and what takes it out in the second. */
    private void headAndTombstone(String size) throws IOException {
        try (RecordStore store = Stores.open(folder, size)) {
            Stores.stored(Stores.write(store, Kind.HEAD, 1, 0));
            Stores.stored(Stores.write(store, Kind.HEAD, 3, 0));
            for (int i = 10; Stores.segments(folder.resolve("disk-0")).size() < 2; i++) {
                assertThat(Stores.stored(Stores.write(store, Kind.BLOCK, i, 50_000)))
                        .isTrue();
            }
            Stores.stored(Stores.write(store, Kind.TOMBSTONE, 1, 0));
            assertThat(isFound(store, 1)).isFalse();
        }
    }

    private void damageLast(Damage damage) throws IOException {
        Path segment = last(folder.resolve("disk-0"));
        Files.write(segment, damage.of(Files.readAllBytes(segment)));
    }

    private static Path last(Path disk) throws IOException {
        List<Path> segments = Stores.segments(disk);
        return segments.get(segments.size() - 1);
    }

    private static boolean isFound(RecordStore store, int number) throws IOException {
        try (StoredRecord record = store.find(Stores.key(store, number))) {
            return record != null && record.readFront() != null;
        }
    }

    private static boolean isDoubtful(RecordStore store, int number) throws IOException {
        try (StoredRecord record = store.find(Stores.key(store, number))) {
            StoredRecord.Front front = record == null ? null : record.readFront();
            assertThat(front).isNotNull();
            return front.doubtful();
        }
    }

    private static void setClean(Path folder, boolean clean) throws IOException {
        Path marker = folder.resolve("disk-0").resolve(DiskMarker.NAME);
        Files.writeString(marker, Files.readString(marker).replaceAll("(?m)^clean=.*$", "clean=" + clean));
    }
}
