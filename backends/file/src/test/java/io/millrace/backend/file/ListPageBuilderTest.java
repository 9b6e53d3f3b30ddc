package io.millrace.backend.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ListRequest.PageStart;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Pages have the order of keys, not of directories, and cost no more than a page. */
class ListPageBuilderTest {
    @RegisterExtension
    final FileBackendFixture tree = FileBackendFixture.make();

    @Test
    void pagesMatchThoseOfASortedList() {
        for (int seed = 0; seed < 2; seed++) {
            Random random = new Random(seed);
            InMemoryBackend model = new InMemoryBackend().createBucket(FileBackendFixture.BUCKET);
            TreeSet<String> keys = new TreeSet<>();
            for (int i = 0; i < 120; i++) {
                String key = randomKey(random);
                keys.add(key);
                tree.write(key, "", HeaderList.EMPTY);
                model.store(FileBackendFixture.ref(key), new byte[0], HeaderList.EMPTY);
            }
            for (int i = 0; i < 150; i++) {
                assertSamePages(model, randomRequest(random), "seed %d, request %d".formatted(seed, i));
            }
            keys.forEach(tree::delete);
            assertThat(tree.bucket()).isEmptyDirectory();
        }
    }

    @Test
    void listsFoldersLargerThanTheBuffer() throws IOException {
        for (int i = 0; i < 5_003; i++) {
            Files.createDirectories(tree.bucket().resolve("%05d".formatted(i)));
        }
        tree.put("04999/file", "");
        tree.put("05002/file", "");

        assertThat(tree.keys()).containsExactly("04999/file", "05002/file");
        assertThat(tree.list("", "/").prefixes()).containsExactly("04999/", "05002/");
        assertThat(tree.list("", "9").prefixes()).containsExactly("049");
    }

    @Test
    void tokenOfAnotherMakeIsRefused() {
        for (String token : List.of("", "!", "x", "eA", "\u00E4")) {
            try {
                tree.list(request("", "", new PageStart.ContinuationToken(token), 1));
                throw new AssertionError("took token " + token);
            } catch (BackendException e) {
                assertThat(e.kind()).isEqualTo(FailureKind.INVALID_REQUEST);
            }
        }
    }

    @Test
    void prefixThatNoKeyCanHaveFindsNothing() {
        tree.write("a", "", HeaderList.EMPTY);

        assertThat(tree.list("a/".repeat(600), "").objects()).isEmpty();
        assertThat(tree.list("/".repeat(5000), "").objects()).isEmpty();
        assertThat(tree.list("\uD800/", "").objects()).isEmpty();
        assertThat(tree.list("\0/", "").objects()).isEmpty();
        assertThat(tree.list("x".repeat(300) + "/", "").objects()).isEmpty();
    }

    @Test
    void unreadableLostAndFoundDoesNotBreakListing() throws IOException {
        tree.put("file", "");
        Path lost = Files.createDirectory(tree.bucket().resolve("lost+found"));
        Files.setPosixFilePermissions(lost, Set.of());

        assertThat(tree.keys()).containsExactly("file");
    }

    @Test
    void costOfAPageGrowsNoFasterThanItsFolder() throws IOException {
        assertPagesAreQuick(20_000);
    }

    @Test
    @Tag("long")
    void costOfAPageGrowsNoFasterThanAFolderOfHundredThousand() throws IOException {
        assertPagesAreQuick(100_000);
    }

    /**
     * Compares with pages of a small folder, taken in turn with those of the large one: what slows the machine down
     * slows both, and a pause falls out of the medians. A walk that is quadratic misses this by far.
     */
    private void assertPagesAreQuick(int count) throws IOException {
        int few = 2_000;
        fill("small", few);
        fill("large", count);
        List<String> keys = new ArrayList<>();
        List<Long> large = new ArrayList<>();
        List<Long> small = new ArrayList<>();
        Optional<PageStart> next = Optional.of(new PageStart.FirstKey());
        Optional<PageStart> nextSmall = Optional.empty();
        while (next.isPresent()) {
            ListPage page = timed(request("large/", "/", next.get(), 200), large);
            keys.addAll(FileBackendFixture.keys(page));
            next = page.next();
            nextSmall = timed(request("small/", "/", nextSmall.orElseGet(PageStart.FirstKey::new), 200), small)
                    .next();
        }

        assertThat(keys).hasSize(count).isSorted().doesNotHaveDuplicates();
        assertThat(large).hasSize(count / 200);
        small.sort(null);
        large.sort(null);
        assertThat(large.get(large.size() / 2)).isLessThan(4 * small.get(small.size() / 2) * (count / few));
    }

    private void fill(String name, int count) throws IOException {
        Path folder = Files.createDirectory(tree.bucket().resolve(name));
        for (int i = 0; i < count; i++) {
            Files.createFile(folder.resolve("img-%06d.jpg".formatted((i * 7919L) % count)));
        }
    }

    private ListPage timed(ListRequest request, List<Long> nanos) {
        long start = System.nanoTime();
        ListPage page = tree.list(request);
        nanos.add(System.nanoTime() - start);
        return page;
    }

    private void assertSamePages(InMemoryBackend model, ListRequest first, String which) {
        PageStart ours = first.start();
        PageStart theirs = first.start();
        for (int pages = 0; pages < 200; pages++) {
            ListPage page = tree.list(at(first, ours));
            ListPage expected =
                    Objects.requireNonNull(model.listObjects(at(first, theirs)).block());
            assertThat(FileBackendFixture.keys(page))
                    .as("%s: %s", which, first)
                    .isEqualTo(FileBackendFixture.keys(expected));
            assertThat(page.prefixes()).as("%s: %s", which, first).isEqualTo(expected.prefixes());
            assertThat(page.next().isPresent())
                    .as("%s: %s goes on", which, first)
                    .isEqualTo(expected.next().isPresent());
            if (page.next().isEmpty()) {
                return;
            }
            ours = page.next().get();
            theirs = expected.next().orElseThrow();
        }
    }

    private static ListRequest randomRequest(Random random) {
        String prefix = random.nextInt(3) == 0 ? "" : cut(randomKey(random), random);
        List<String> delimiters = List.of("", "/", "/", "a", "//", "..", "l");
        PageStart from = switch (random.nextInt(4)) {
            case 0 -> new PageStart.StartAfter(cut(randomKey(random), random));
            case 1 -> new PageStart.Marker(cut(randomKey(random), random));
            default -> new PageStart.FirstKey();
        };
        int maxKeys = random.nextInt(3) == 0 ? 1000 : 1 + random.nextInt(9);
        return request(prefix, delimiters.get(random.nextInt(delimiters.size())), from, maxKeys);
    }

    private static String cut(String key, Random random) {
        int end = random.nextInt(key.length() + 1);
        // Never in the middle of a surrogate pair.
        return key.substring(0, end > 0 && Character.isHighSurrogate(key.charAt(end - 1)) ? end - 1 : end);
    }

    private static String randomKey(Random random) {
        List<String> pieces = List.of(
                "a",
                "b",
                "a",
                "/",
                "/",
                "//",
                ".",
                "..",
                "!",
                "0",
                "%%",
                "\uFFFD",
                "\uD83D\uDE00",
                "\0",
                "l".repeat(252),
                "l".repeat(253),
                "\u00E4");
        StringBuilder key = new StringBuilder();
        for (int left = 1 + random.nextInt(6); left > 0; left--) {
            String piece = pieces.get(random.nextInt(pieces.size()));
            key.append(key.length() + piece.length() < 800 ? piece : "a");
        }
        return key.toString();
    }

    private static ListRequest request(String prefix, String delimiter, PageStart from, int maxKeys) {
        return new ListRequest(FileBackendFixture.BUCKET, prefix, delimiter, from, maxKeys, false);
    }

    private static ListRequest at(ListRequest list, PageStart from) {
        return request(list.prefix(), list.delimiter(), from, list.maxKeys());
    }
}
