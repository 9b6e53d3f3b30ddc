package io.millrace.backend.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ListRequest.PageStart;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.testkit.data.ListedPages;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages of a listing begin and end where they must, and together show every key once. */
interface PaginationContract extends ContractSupport {
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 1000})
    default void pagesBringEachKeyAndPrefixOnce(int maxKeys) {
        assumeTrue(supports(Capability.LIST), "does not list");
        List<String> names = List.of("a", "b/1", "b/2", "b/3", "c", "d/1/2", "d/3", "e", folder("f/"), "g");
        seedNames(names);

        ListedPages flat = ListedPages.readAll(backend(), ListedPages.request(bucket(), "", "", maxKeys));
        ListedPages rolled = ListedPages.readAll(backend(), ListedPages.request(bucket(), "", "/", maxKeys));

        assertThat(flat.keys()).containsExactlyElementsOf(names);
        assertThat(flat.prefixes()).isEmpty();
        assertThat(rolled.keys()).containsExactly("a", "c", "e", "g");
        assertThat(rolled.prefixes()).containsExactly("b/", "d/", "f/");
        assertThat(Stream.concat(flat.pages().stream(), rolled.pages().stream()))
                .as("keys and prefixes count together")
                .allMatch(page -> page.objects().size() + page.prefixes().size() <= maxKeys);
    }

    @Test
    default void pageIsFullBeforeThereIsANextOne() {
        assumeTrue(supports(Capability.LIST), "does not list");
        IntStream.range(0, 5).forEach(i -> seeded("full/" + i, 1));

        ListedPages pages = ListedPages.readAll(backend(), ListedPages.request(bucket(), "full/", "", 2));

        assertThat(pages.pages()).extracting(page -> page.objects().size()).containsExactly(2, 2, 1);
    }

    @Test
    default void lastPageThatIsExactlyFullHasNoNext() {
        assumeTrue(supports(Capability.LIST), "does not list");
        seeded("x1", 1);
        seeded("x2", 1);

        assertThat(ListedPages.page(backend(), ListedPages.request(bucket(), "", "", 2))
                        .next())
                .isEmpty();
    }

    @Test
    default void pageOfZeroKeysIsEmptyAndTheLast() {
        assumeTrue(supports(Capability.LIST), "does not list");
        seeded("some", 1);

        ListPage page = ListedPages.page(backend(), ListedPages.request(bucket(), "", "", 0));

        assertThat(page.objects()).isEmpty();
        assertThat(page.next()).isEmpty();
    }

    @Test
    default void listsManyKeysInPagesOfAThousand() {
        assumeTrue(supports(Capability.LIST), "does not list");
        List<String> names =
                IntStream.range(0, 1005).mapToObj("many/%04d"::formatted).toList();
        seedNames(names);

        ListedPages pages = ListedPages.readAll(backend(), ListedPages.request(bucket(), "", "", ListRequest.MAX_KEYS));

        assertThat(pages.pages()).extracting(page -> page.objects().size()).containsExactly(1000, 5);
        assertThat(pages.keys()).containsExactlyElementsOf(names);
    }

    @Test
    default void startAfterAcceptsTextThatIsNoKey() {
        assumeTrue(supports(Capability.LIST), "does not list");
        seedNames(List.of("a", "b-", "b/1", "b/2", "c"));

        assertThat(keys("", "", new PageStart.StartAfter("a"))).containsExactly("b-", "b/1", "b/2", "c");
        assertThat(keys("", "", new PageStart.StartAfter("b"))).containsExactly("b-", "b/1", "b/2", "c");
        assertThat(keys("", "", new PageStart.StartAfter("b-"))).containsExactly("b/1", "b/2", "c");
        assertThat(keys("", "", new PageStart.StartAfter("b."))).containsExactly("b/1", "b/2", "c");
        assertThat(keys("", "", new PageStart.StartAfter("b/1/9"))).containsExactly("b/2", "c");
        assertThat(keys("b/", "", new PageStart.StartAfter("a"))).containsExactly("b/1", "b/2");
        assertThat(keys("b/", "", new PageStart.StartAfter("b/1"))).containsExactly("b/2");
        assertThat(keys("", "", new PageStart.StartAfter("c"))).isEmpty();
        assertThat(keys("", "", new PageStart.StartAfter("zzz"))).isEmpty();
        assertThat(keys("b/", "", new PageStart.StartAfter("c"))).isEmpty();
    }

    @Test
    default void continuesByTokenAfterStartAfter() {
        assumeTrue(supports(Capability.LIST), "does not list");
        seedNames(List.of("a", "b", "c/1", "c/2", "d", "e"));
        ListRequest first = ListedPages.at(ListedPages.request(bucket(), "", "/", 1), new PageStart.StartAfter("a"));

        ListedPages pages = ListedPages.readAll(backend(), first);

        assertThat(pages.keys()).containsExactly("b", "d", "e");
        assertThat(pages.prefixes()).containsExactly("c/");
    }

    @Test
    default void markerOfACommonPrefixSkipsThePrefix() {
        assumeTrue(supports(Capability.LIST), "does not list");
        seedNames(List.of("a/1", "a/2", "b", "c/1"));

        ListPage page = page("", "/", new PageStart.Marker("a/"));

        assertThat(page.prefixes()).containsExactly("c/");
        assertThat(ListedPages.keys(page)).containsExactly("b");
        assertThat(page("", "/", new PageStart.Marker("a/2")).prefixes())
                .as("the marker is the last key of a/")
                .containsExactly("c/");
        assertThat(page("", "/", new PageStart.Marker("b")).prefixes()).containsExactly("c/");
        assertThat(page("", "/", new PageStart.Marker("c/")).prefixes()).isEmpty();
    }

    @Test
    default void pagesByMarkerGoOnByMarker() {
        assumeTrue(supports(Capability.LIST), "does not list");
        seedNames(List.of("a/1", "a/2", "b", "c/1", "d"));
        ListRequest first = ListedPages.at(ListedPages.request(bucket(), "", "/", 1), new PageStart.Marker(" "));

        ListedPages pages = ListedPages.readAll(backend(), first);

        assertThat(pages.keys()).containsExactly("b", "d");
        assertThat(pages.prefixes()).containsExactly("a/", "c/");
        assertThat(pages.pages().stream().flatMap(page -> page.next().stream()))
                .allMatch(PageStart.Marker.class::isInstance);
    }

    @Test
    default void keyRemovedUnderATokenHidesNoOther() {
        assumeTrue(supports(Capability.LIST), "does not list");
        seedNames(List.of("k1", "k2", "k3", "k4"));
        ListRequest two = ListedPages.request(bucket(), "", "", 2);
        PageStart next = ListedPages.page(backend(), two).next().orElseThrow();

        remove(new ObjectKey("k2"));

        assertThat(ListedPages.keys(ListedPages.page(backend(), ListedPages.at(two, next))))
                .containsExactly("k3", "k4");
    }

    @Test
    default void foldersOfEveryDepthPageInOrder() {
        assumeTrue(supports(Capability.LIST), "does not list");
        TreeSet<String> names = new TreeSet<>();
        for (int i = 0; i < 40; i++) {
            names.add("p" + "/q".repeat(i % 7) + "/" + i);
            names.add("p" + "!".repeat(i % 3) + "/" + i + ".txt");
        }
        seedNames(names);

        assertThat(ListedPages.readAll(backend(), ListedPages.request(bucket(), "", "", 3))
                        .keys())
                .containsExactlyElementsOf(names);
        assertThat(ListedPages.readAll(backend(), ListedPages.request(bucket(), "p/q/", "", 2))
                        .keys())
                .containsExactlyElementsOf(names.subSet("p/q/", "p/q0"));
    }

    private List<String> keys(String prefix, String delimiter, PageStart from) {
        return ListedPages.keys(page(prefix, delimiter, from));
    }

    private ListPage page(String prefix, String delimiter, PageStart from) {
        return ListedPages.page(
                backend(), new ListRequest(bucket(), prefix, delimiter, from, ListRequest.MAX_KEYS, false));
    }
}
