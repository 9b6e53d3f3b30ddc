package io.millrace.backend.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ListRequest.From;
import io.millrace.backend.spi.ObjectKey;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where a page begins and ends. */
interface PageCases extends ContractCases {
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 1000})
    default void pagesBringEachKeyAndPrefixOnce(int maxKeys) {
        List<String> names = List.of("a", "b/1", "b/2", "b/3", "c", "d/1/2", "d/3", "e", "f/", "g");
        seedNames(names);

        Pages flat = Pages.of(backend(), Pages.request(bucket(), "", "", maxKeys));
        Pages rolled = Pages.of(backend(), Pages.request(bucket(), "", "/", maxKeys));

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
        IntStream.range(0, 5).forEach(i -> seeded("full/" + i, 1));

        Pages pages = Pages.of(backend(), Pages.request(bucket(), "full/", "", 2));

        assertThat(pages.pages()).extracting(page -> page.objects().size()).containsExactly(2, 2, 1);
    }

    @Test
    default void lastPageThatIsExactlyFullHasNoNext() {
        seeded("x1", 1);
        seeded("x2", 1);

        assertThat(Pages.page(backend(), Pages.request(bucket(), "", "", 2)).next())
                .isEmpty();
    }

    @Test
    default void pageOfZeroKeysIsEmptyAndTheLast() {
        seeded("some", 1);

        ListPage page = Pages.page(backend(), Pages.request(bucket(), "", "", 0));

        assertThat(page.objects()).isEmpty();
        assertThat(page.next()).isEmpty();
    }

    @Test
    default void moreThanAPageOfKeysComesInPagesOfAThousand() {
        List<String> names =
                IntStream.range(0, 1005).mapToObj("many/%04d"::formatted).toList();
        seedNames(names);

        Pages pages = Pages.of(backend(), Pages.request(bucket(), "", "", ListRequest.MAX_KEYS));

        assertThat(pages.pages()).extracting(page -> page.objects().size()).containsExactly(1000, 5);
        assertThat(pages.keys()).containsExactlyElementsOf(names);
    }

    @Test
    default void startAfterBeginsBehindATextThatNeedNotBeAKey() {
        seedNames(List.of("a", "b-", "b/1", "b/2", "c"));

        assertThat(keys("", "", new From.After("a"))).containsExactly("b-", "b/1", "b/2", "c");
        assertThat(keys("", "", new From.After("b"))).containsExactly("b-", "b/1", "b/2", "c");
        assertThat(keys("", "", new From.After("b-"))).containsExactly("b/1", "b/2", "c");
        assertThat(keys("", "", new From.After("b."))).containsExactly("b/1", "b/2", "c");
        assertThat(keys("", "", new From.After("b/1/9"))).containsExactly("b/2", "c");
        assertThat(keys("b/", "", new From.After("a"))).containsExactly("b/1", "b/2");
        assertThat(keys("b/", "", new From.After("b/1"))).containsExactly("b/2");
        assertThat(keys("", "", new From.After("c"))).isEmpty();
        assertThat(keys("", "", new From.After("zzz"))).isEmpty();
        assertThat(keys("b/", "", new From.After("c"))).isEmpty();
    }

    @Test
    default void pagesBehindAStartGoOnByTokenToTheEnd() {
        seedNames(List.of("a", "b", "c/1", "c/2", "d", "e"));
        ListRequest first = Pages.at(Pages.request(bucket(), "", "/", 1), new From.After("a"));

        Pages pages = Pages.of(backend(), first);

        assertThat(pages.keys()).containsExactly("b", "d", "e");
        assertThat(pages.prefixes()).containsExactly("c/");
    }

    @Test
    default void markerThatIsARolledUpPrefixIsBehindIt() {
        seedNames(List.of("a/1", "a/2", "b", "c/1"));

        ListPage page = page("", "/", new From.Marker("a/"));

        assertThat(page.prefixes()).containsExactly("c/");
        assertThat(Pages.keys(page)).containsExactly("b");
        assertThat(page("", "/", new From.Marker("a/2")).prefixes())
                .as("the marker is the last key of a/")
                .containsExactly("c/");
        assertThat(page("", "/", new From.Marker("b")).prefixes()).containsExactly("c/");
        assertThat(page("", "/", new From.Marker("c/")).prefixes()).isEmpty();
    }

    @Test
    default void pagesByMarkerGoOnByMarker() {
        seedNames(List.of("a/1", "a/2", "b", "c/1", "d"));
        ListRequest first = Pages.at(Pages.request(bucket(), "", "/", 1), new From.Marker(" "));

        Pages pages = Pages.of(backend(), first);

        assertThat(pages.keys()).containsExactly("b", "d");
        assertThat(pages.prefixes()).containsExactly("a/", "c/");
        assertThat(pages.pages().stream().flatMap(page -> page.next().stream()))
                .allMatch(From.Marker.class::isInstance);
    }

    @Test
    default void keyRemovedUnderATokenHidesNoOther() {
        seedNames(List.of("k1", "k2", "k3", "k4"));
        ListRequest two = Pages.request(bucket(), "", "", 2);
        From next = Pages.page(backend(), two).next().orElseThrow();

        remove(new ObjectKey("k2"));

        assertThat(Pages.keys(Pages.page(backend(), Pages.at(two, next)))).containsExactly("k3", "k4");
    }

    @Test
    default void foldersOfEveryDepthPageInOrder() {
        TreeSet<String> names = new TreeSet<>();
        for (int i = 0; i < 40; i++) {
            names.add("p" + "/q".repeat(i % 7) + "/" + i);
            names.add("p" + "!".repeat(i % 3) + "/" + i + ".txt");
        }
        seedNames(names);

        assertThat(Pages.of(backend(), Pages.request(bucket(), "", "", 3)).keys())
                .containsExactlyElementsOf(names);
        assertThat(Pages.of(backend(), Pages.request(bucket(), "p/q/", "", 2)).keys())
                .containsExactlyElementsOf(names.subSet("p/q/", "p/q0"));
    }

    private List<String> keys(String prefix, String delimiter, From from) {
        return Pages.keys(page(prefix, delimiter, from));
    }

    private ListPage page(String prefix, String delimiter, From from) {
        return Pages.page(backend(), new ListRequest(bucket(), prefix, delimiter, from, ListRequest.MAX_KEYS, false));
    }
}
