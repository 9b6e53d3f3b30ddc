package io.millrace.backend.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.testkit.data.ListedPages;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A page of a listing shows the right keys and prefixes in the right order. */
interface ListContract extends ContractSupport {
    @Test
    default void emptyBucketListsNothing() {
        assumeTrue(supports(Capability.LIST), "does not list");
        ListPage page = page("", "");

        assertThat(page.objects()).isEmpty();
        assertThat(page.prefixes()).isEmpty();
        assertThat(page.next()).isEmpty();
    }

    @Test
    default void entryReportsWhatTheHeadReports() {
        assumeTrue(supports(Capability.LIST), "does not list");
        ObjectKey key = seeded("listed/entry.bin", 4321);
        ObjectHead head = head(readRequest(key)).head();

        ListPage.ListedObject entry = page("", "").objects().get(0);

        assertThat(entry.key()).isEqualTo(key);
        assertThat(entry.size()).isEqualTo(4321);
        assertThat(entry.eTag()).isEqualTo(head.eTag());
        assertThat(entry.lastModified().truncatedTo(ChronoUnit.SECONDS))
                .isEqualTo(head.lastModified().orElseThrow());
        assertThat(entry.storageClass()).isNotEmpty();
    }

    @Test
    default void keysComeInTheByteOrderOfUtf8() {
        assumeTrue(supports(Capability.LIST), "does not list");
        // UTF-16 would put the supplementary ones (surrogates, D800 and up) before U+E000 and U+FF5E.
        List<String> inOrder = List.of(
                "A",
                "Z",
                "a b",
                "a!",
                "a+b",
                "a-b",
                "a.b",
                "a/b",
                "a0",
                "aa",
                "z",
                "~",
                "ß",
                "ä",
                "日本",
                "\uE000",
                "\uFF5E",
                "\uFFFD",
                "\uD800\uDC00",
                "\uD83D\uDE00");
        seedNames(inOrder);

        assertThat(keys("", "")).containsExactlyElementsOf(inOrder);
    }

    @Test
    default void folderSortsByItsSlashNotByItsName() {
        assumeTrue(supports(Capability.LIST), "does not list");
        List<String> inOrder = List.of("d!", "d-/x", "d.txt", folder("d/"), "d/a", "d/b/c", "d0/y", "d1");
        seedNames(inOrder);

        assertThat(keys("", "")).containsExactlyElementsOf(inOrder);
        assertThat(keys("d/", "")).containsExactly(folder("d/"), "d/a", "d/b/c");
    }

    @Test
    default void prefixIsTextNotAFolder() {
        assumeTrue(supports(Capability.LIST), "does not list");
        seedAll("train/1", "train/10", "train/2", "training", "trai", "Train/1", "x/train/1");

        assertThat(keys("train", "")).containsExactly("train/1", "train/10", "train/2", "training");
        assertThat(keys("train/1", "")).containsExactly("train/1", "train/10");
        assertThat(keys("train/1/", "")).isEmpty();
        assertThat(keys("nothing", "")).isEmpty();
        assertThat(keys("nothing/at/all/", "")).isEmpty();
    }

    @Test
    default void delimiterRollsUpAfterThePrefix() {
        assumeTrue(supports(Capability.LIST), "does not list");
        seedAll("a", "b/1", "b/2", "b/c/3", "b0", folder("d/"), "e");

        assertThat(keys("", "/")).containsExactly("a", "b0", "e");
        assertThat(page("", "/").prefixes()).containsExactly("b/", "d/");
        assertThat(keys("b/", "/")).containsExactly("b/1", "b/2");
        assertThat(page("b/", "/").prefixes()).containsExactly("b/c/");
        assertThat(keys("b", "/")).containsExactly("b0");
        assertThat(page("b", "/").prefixes()).containsExactly("b/");
        assertThat(keys("d/", "/")).containsExactly(folder("d/"));
        assertThat(page("d/", "/").prefixes()).isEmpty();
        assertThat(page("b/c", "/").prefixes()).containsExactly("b/c/");
    }

    @Test
    default void delimiterMayBeAnyText() {
        assumeTrue(supports(Capability.LIST), "does not list");
        seedAll("one--two--three", "one--two", "one-two", "four/--/five", "x--");

        assertThat(keys("", "--")).containsExactly("one-two");
        assertThat(page("", "--").prefixes()).containsExactly("four/--", "one--", "x--");
        assertThat(page("one--", "--").prefixes()).containsExactly("one--two--");
        assertThat(keys("one--", "--")).containsExactly("one--two");
        assertThat(page("", "o").prefixes()).containsExactly("fo", "o");
        assertThat(page("", "/--/").prefixes()).containsExactly("four/--/");
    }

    @Test
    default void delimiterInsideThePrefixRollsUpNothing() {
        assumeTrue(supports(Capability.LIST), "does not list");
        seedAll("a/b/c1", "a/b/c2");

        assertThat(keys("a/b/", "/")).containsExactly("a/b/c1", "a/b/c2");
        assertThat(page("a/b/", "/").prefixes()).isEmpty();
    }

    @Test
    default void textThatNoKeyHasMatchesNone() {
        assumeTrue(supports(Capability.LIST), "does not list");
        seedAll("a", "b/1");

        assertThat(keys("a\u0001", "")).isEmpty();
        assertThat(page("b/\u001F", "/").prefixes()).isEmpty();
        assertThat(keys("", "\u0001")).containsExactly("a", "b/1");
    }

    @Test
    default void oddKeysAreListedAsTheyAre() {
        assumeTrue(supports(Capability.LIST), "does not list");
        List<String> odd = Stream.of(
                        " lead",
                        "%2F",
                        "&amp;",
                        "'q'",
                        "+",
                        "<x>",
                        "a//b",
                        "a\\b",
                        "back`tick",
                        "ä",
                        "a\u0308",
                        "\"q\"",
                        "~",
                        "?x=1#y")
                .filter(name -> supportsKey(new ObjectKey(name)))
                .toList();
        seedNames(odd);

        assertThat(keys("", "")).containsExactlyInAnyOrderElementsOf(odd);
    }

    @Test
    default void removedKeyIsNotListed() {
        assumeTrue(supports(Capability.LIST), "does not list");
        seedAll("stay", "leave/a");

        remove(new ObjectKey("leave/a"));

        assertThat(keys("", "")).containsExactly("stay");
        assertThat(page("", "/").prefixes()).isEmpty();
    }

    private void seedAll(String... names) {
        seedNames(List.of(names));
    }

    private List<String> keys(String prefix, String delimiter) {
        return ListedPages.keys(page(prefix, delimiter));
    }

    private ListPage page(String prefix, String delimiter) {
        return ListedPages.page(backend(), ListedPages.request(bucket(), prefix, delimiter, ListRequest.MAX_KEYS));
    }
}
