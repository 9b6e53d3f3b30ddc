package io.millrace.gateway.agreement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.millrace.gateway.agreement.Change.Delete;
import io.millrace.gateway.agreement.Change.Put;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The promises of an agreed store, of which each test has the keys below a prefix to itself. */
abstract class AgreedStoreContract {
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final String prefix = UUID.randomUUID() + "/";

    abstract AgreedStore store();

    @Test
    void valueIsReadWithTheRevisionOfItsChange() {
        Long revision = transact(List.of(), put("a", "one"));

        assertThat(range()).containsExactly(new AgreedEntry(key("a"), "one", known(revision)));
    }

    @Test
    void laterChangesHaveGreaterRevisions() {
        Long first = transact(List.of(), put("a", "one"));
        Long second = transact(List.of(), put("a", "two"));

        assertThat(known(second)).isGreaterThan(known(first)).isPositive();
    }

    @Test
    void changesOfATransactionAreMadeTogether() {
        transact(List.of(), put("a", "one"));
        Long revision = transact(List.of(), new Delete(key("a")), put("b", "two"), put("c", ""));

        assertThat(range())
                .containsExactly(
                        new AgreedEntry(key("b"), "two", known(revision)),
                        new AgreedEntry(key("c"), "", known(revision)));
    }

    @Test
    void compareThatDoesNotHoldPreventsAllChanges() {
        Long first = transact(List.of(), put("a", "one"));
        Long second = transact(List.of(), put("a", "two"));

        Long late = transact(List.of(new RevisionCompare(key("a"), known(first))), put("a", "three"), put("b", "x"));

        assertThat(late).isNull();
        assertThat(range()).containsExactly(new AgreedEntry(key("a"), "two", known(second)));
    }

    @Test
    void compareThatHoldsLetsTheChangeBeMade() {
        transact(List.of(), put("a", "one"));

        Long revision = transact(List.of(RevisionCompare.unchanged(range().get(0))), put("a", "two"));

        assertThat(range()).containsExactly(new AgreedEntry(key("a"), "two", known(revision)));
    }

    @Test
    void keyIsCreatedOnce() {
        Long first = transact(List.of(RevisionCompare.absent(key("a"))), put("a", "one"));

        assertThat(transact(List.of(RevisionCompare.absent(key("a"))), put("a", "two")))
                .isNull();
        assertThat(range()).containsExactly(new AgreedEntry(key("a"), "one", known(first)));
    }

    @Test
    void deletedKeyIsAbsent() {
        transact(List.of(), put("a", "one"));
        transact(List.of(), new Delete(key("a")));

        assertThat(range()).isEmpty();
        assertThat(transact(List.of(RevisionCompare.absent(key("a"))), new Delete(key("a"))))
                .isNotNull();
    }

    @Test
    void rangeHasTheKeysBelowItsPrefixInOrder() {
        transact(List.of(), put("a/2", "2"), put("a/1", "1"), put("a0", "x"), put("a", "x"), put("a.", "x"));

        assertThat(get(store().range(key("a/")))).extracting(AgreedEntry::value).containsExactly("1", "2");
    }

    @Test
    void textOfAnyLanguageComesBack() {
        transact(List.of(), put("a", "\u00e4\u4e2d\ud83d\ude00\u0000\n"));

        assertThat(range()).extracting(AgreedEntry::value).containsExactly("\u00e4\u4e2d\ud83d\ude00\u0000\n");
    }

    @Test
    void concurrentCountersLoseNothing() {
        transact(List.of(), put("count", "0"));

        Flux.range(0, 4)
                .flatMap(counter -> Flux.range(0, 3).concatMap(step -> increment()))
                .blockLast(LIMIT);

        assertThat(range()).extracting(AgreedEntry::value).containsExactly("12");
    }

    private Mono<Long> increment() {
        return Mono.defer(() -> store().range(key("count")).flatMap(found -> {
                    AgreedEntry now = found.get(0);
                    return store().transact(
                                    List.of(RevisionCompare.unchanged(now)),
                                    List.of(put("count", String.valueOf(Integer.parseInt(now.value()) + 1))));
                }))
                .repeatWhenEmpty(2_000, conflicts -> conflicts);
    }

    @Test
    void fullMapRefusesMoreAndTakesDeletions() {
        List<String> keys = new ArrayList<>();
        String value = "x".repeat(AgreedLimits.MOST_VALUE);
        @Nullable Throwable failure = null;
        for (int i = 0; i < 40 && failure == null; i++) {
            String name = "value-" + i;
            failure = catchThrowable(() -> transact(List.of(), put(name, value)));
            if (failure == null) {
                keys.add(name);
            }
        }

        assertThat(failure).isNotNull();
        assertThat(Exceptions.unwrap(failure))
                .isInstanceOf(AgreedStoreException.class)
                .isNotInstanceOf(UnknownOutcomeException.class);
        assertThat(keys).hasSizeBetween(28, 31);
        assertThat(transact(List.of(), put(keys.get(0), "short"))).isNotNull();
        Change[] deletions = keys.stream().map(name -> new Delete(key(name))).toArray(Change[]::new);
        transact(List.of(), deletions);
        assertThat(range()).isEmpty();
    }

    @Test
    void callsBeyondTheBoundsAreRefused() {
        String longValue = "x".repeat(AgreedLimits.MOST_VALUE + 1);
        String longKey = "x".repeat(AgreedLimits.MOST_KEY + 1);

        assertThatThrownBy(() -> put("a", longValue)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Put(longKey, "")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Put("a b", "")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> put("a", "\ud800")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> store().transact(List.of(), List.of())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> store().transact(List.of(), List.of(put("a", ""), put("a", ""))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> store().range(longKey)).isInstanceOf(IllegalArgumentException.class);
        String longest = "x".repeat(AgreedLimits.MOST_VALUE);
        List<Change> many = List.of(put("a", longest), put("b", longest), put("c", longest), put("d", longest));
        assertThatThrownBy(() -> store().transact(List.of(), many)).isInstanceOf(IllegalArgumentException.class);
    }

    final String key(String name) {
        return prefix + name;
    }

    final Put put(String name, String value) {
        return new Put(key(name), value);
    }

    /** Returns the revision; null if a compare did not hold. */
    final @Nullable Long transact(List<RevisionCompare> compares, Change... changes) {
        return store().transact(compares, List.of(changes)).block(LIMIT);
    }

    final List<AgreedEntry> range() {
        return get(store().range(prefix));
    }

    static <T> T get(Mono<T> result) {
        T value = result.block(LIMIT);
        assertThat(value).isNotNull();
        return value;
    }

    private static long known(@Nullable Long revision) {
        assertThat(revision).isNotNull();
        return revision;
    }
}
