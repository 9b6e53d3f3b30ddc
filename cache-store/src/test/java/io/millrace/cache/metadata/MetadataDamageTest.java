package io.millrace.cache.metadata;

import static io.millrace.cache.metadata.MetadataFixture.below;
import static io.millrace.cache.metadata.MetadataFixture.epochs;
import static io.millrace.cache.metadata.MetadataFixture.id;
import static io.millrace.cache.metadata.MetadataFixture.metadata;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store with corrupt files starts, and never returns replaced or deleted entries as current. */
class MetadataDamageTest {
    private static final int KEYS = 200;
    private static final int LAST_RUN = 3;

    @TempDir
    private Path folder;

    /** Content by key, as it was left. */
    private final Map<ObjectId, Integer> left = new HashMap<>();

    /** All contents that a key has ever had. */
    private final Map<ObjectId, Set<Integer>> ever = new HashMap<>();

    private final Random random = new Random(1_000);

    /** Some files in order, and a write-ahead log as a killed process leaves it. */
    @BeforeEach
    void leaveAStore() throws IOException {
        Path live = folder.resolve("live");
        for (int run = 1; run < LAST_RUN; run++) {
            try (MetadataStore store = MetadataFixture.open(live, run, epochs(run))) {
                change(store);
            }
        }
        MetadataStore store = MetadataFixture.open(live, LAST_RUN, epochs(LAST_RUN));
        change(store);
        MetadataStoreTest.copy(live, folder.resolve("killed"));
        store.close();
    }

    private void change(MetadataStore store) throws IOException {
        for (int i = 0; i < 4 * KEYS; i++) {
            ObjectId id = id("k/%d/%d".formatted(i % 10, random.nextInt(KEYS)));
            if (random.nextInt(4) == 0) {
                store.delete(id);
                left.remove(id);
            } else {
                int content = 1 + random.nextInt(1 << 20);
                store.put(metadata(id, content), () -> true);
                left.put(id, content);
                ever.computeIfAbsent(id, key -> new HashSet<>()).add(content);
            }
        }
        store.delete(below("k/7/"));
        left.keySet().removeIf(below("k/7/")::holds);
    }

    @Test
    void killLosesNoMetadata() throws IOException {
        try (MetadataStore store = MetadataFixture.open(folder.resolve("killed"), LAST_RUN + 1, epochs(LAST_RUN + 1))) {
            ever.keySet()
                    .forEach(id -> assertThat(store.get(id))
                            .isEqualTo(Optional.ofNullable(left.get(id)).map(content -> metadata(id, content))));
        }
    }

    @Test
    void damagedBytesAreNeverFresh() throws IOException {
        damageBytes(40);
    }

    @Test
    void truncatedFilesAreNeverFresh() throws IOException {
        truncate(30);
    }

    @Tag("long")
    @Test
    void damageAtAThousandPlacesIsNeverFresh() throws IOException {
        damageBytes(1000);
    }

    @Tag("long")
    @Test
    void filesTruncatedAtAThousandPlacesAreNeverFresh() throws IOException {
        truncate(1000);
    }

    private void damageBytes(int places) throws IOException {
        List<Path> files = files();
        for (int i = 0; i < places; i++) {
            Path file = files.get(i % files.size());
            long at = (long) (random.nextDouble() * Files.size(killed(file)));
            look("%s at %d".formatted(file, at), copy -> {
                ByteBuffer one = ByteBuffer.allocate(1);
                try (FileChannel channel =
                        FileChannel.open(copy.resolve(file), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                    channel.read(one, at);
                    one.put(0, (byte) (one.get(0) ^ (1 + random.nextInt(255)))).rewind();
                    channel.write(one, at);
                }
            });
        }
    }

    private void truncate(int places) throws IOException {
        List<Path> files = files();
        for (int i = 0; i < places; i++) {
            Path file = files.get(i % files.size());
            long size = (long) (random.nextDouble() * Files.size(killed(file)));
            look("%s cut to %d".formatted(file, size), copy -> {
                try (FileChannel channel = FileChannel.open(copy.resolve(file), StandardOpenOption.WRITE)) {
                    channel.truncate(size);
                }
            });
        }
    }

    private Path killed(Path file) {
        return folder.resolve("killed").resolve("store").resolve(file);
    }

    /** Names of the store's files that say anything. */
    private List<Path> files() throws IOException {
        List<Path> names = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder.resolve("killed").resolve("store"))) {
            for (Path file : files.sorted().toList()) {
                if (Files.size(file) > 0) {
                    names.add(file.getFileName());
                }
            }
        }
        return names;
    }

    private interface Damage {
        void to(Path store) throws IOException;
    }

    private void look(String what, Damage damage) throws IOException {
        Path copy = folder.resolve("copy");
        MetadataStoreTest.copy(folder.resolve("killed"), copy);
        damage.to(copy.resolve("store"));
        MetadataStore store = MetadataFixture.open(copy, LAST_RUN + 1, epochs(LAST_RUN + 1));
        for (ObjectId id : ever.keySet()) {
            store.get(id).ifPresent(found -> {
                assertThat(ever.get(id)).as(what).contains((int) found.size());
                assertThat(found.head())
                        .as(what)
                        .isEqualTo(metadata(id, (int) found.size()).head());
                if (!found.mustRevalidate()) {
                    assertThat((int) found.size()).as("%s of %s", what, id).isEqualTo(left.get(id));
                }
            });
        }
        try {
            store.close();
        } catch (IOException failedBefore) {
            assertThat(store.hasFailed()).isTrue();
        }
        MetadataStoreTest.remove(copy);
    }
}
