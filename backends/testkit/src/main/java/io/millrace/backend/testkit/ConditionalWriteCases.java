package io.millrace.backend.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ETag;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ObjectWriter.DeleteOutcome;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.WriteCondition;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** A write under a condition is one step: commits of tables and locks are built on it. */
interface ConditionalWriteCases extends WriterCases {
    int WRITERS = 16;
    int ROUNDS = 20;

    /** Whether {@link WriteCondition.Differs} is known; few servers do. */
    boolean knowsDiffers();

    /** Whether {@link WriteCondition.Exists} is known. */
    boolean knowsExists();

    /** Whether deletes take conditions. */
    boolean deletesUnderConditions();

    /**
     * Each row: the condition; whether something is there, with the tag {@code same}; what comes of it. NONE of what must match
     * is either of two errors, since servers differ in what they say of a {@code *}.
     */
    @ParameterizedTest
    @CsvSource(textBlock = """
            absent,        there,   FAILS
            absent,        nothing, WRITES
            exists,        there,   WRITES
            exists,        nothing, NONE
            matches same,  there,   WRITES
            matches other, there,   FAILS
            matches other, nothing, MISSING
            differs same,  there,   FAILS
            differs other, there,   WRITES
            differs other, nothing, WRITES
            """)
    default void writeTakesPlaceIfItsConditionHolds(String condition, String before, String outcome) {
        assumeTrue(can(Capability.CONDITIONAL_WRITE), "takes no conditions");
        assumeTrue(!condition.startsWith("differs") || knowsDiffers(), "does not know this condition");
        assumeTrue(!condition.startsWith("exists") || knowsExists(), "does not know this condition");
        byte[] old = Bytes.of("old").first(1000);
        boolean there = before.equals("there");
        ETag same = there ? put("conditional", old).eTag().orElseThrow() : ETag.strong("none");
        byte[] bytes = Bytes.of("new").first(100_000);
        var write = backend().put(target("conditional", HeaderList.EMPTY, condition(condition, same)), Body.of(bytes));

        if (outcome.equals("WRITES")) {
            ContractCases.await(write);
            assertHolds("conditional", bytes);
            return;
        }
        BackendException failure = catchThrowableOfType(BackendException.class, () -> write.block(PATIENCE));
        assertThat(failure).isNotNull();
        assertThat(failure.kind()).isIn(kinds(outcome));
        if (there) {
            assertHolds("conditional", old);
        } else {
            assertMissing("conditional");
        }
    }

    @Test
    default void weakTagMatchesNothing() {
        assumeTrue(can(Capability.CONDITIONAL_WRITE), "takes no conditions");
        ETag tag = put("weak", new byte[] {1}).eTag().orElseThrow();
        WriteCondition weak = new WriteCondition.Matches(new ETag(tag.opaque(), true));

        ContractCases.failure(
                backend().put(target("weak", HeaderList.EMPTY, weak), Body.of(new byte[] {2})),
                Kind.PRECONDITION_FAILED);
    }

    @Test
    default void ofRacingCreatorsExactlyOneWins() {
        assumeTrue(can(Capability.CONDITIONAL_WRITE), "takes no conditions");
        for (int round = 0; round < ROUNDS; round++) {
            String key = "log/%020d.json".formatted(round);

            assertOneWinner(key, round, i -> new WriteCondition.Absent());
        }
    }

    @Test
    default void ofRacingReplacersExactlyOneWins() {
        assumeTrue(can(Capability.CONDITIONAL_WRITE), "takes no conditions");
        ETag tag = put("pointer", new byte[] {1}).eTag().orElseThrow();
        for (int round = 0; round < ROUNDS; round++) {
            ETag current = tag;

            tag = assertOneWinner("pointer", round, i -> new WriteCondition.Matches(current));
        }
    }

    @Test
    default void countersUnderConditionsLoseNoStep() {
        assumeTrue(can(Capability.CONDITIONAL_WRITE), "takes no conditions");
        put("counter", new byte[] {0});

        ContractCases.await(Flux.range(0, 8)
                .flatMap(i -> Mono.fromRunnable(this::increment).subscribeOn(Schedulers.boundedElastic()), 8)
                .then(Mono.just(true)));

        assertHolds("counter", new byte[] {8});
    }

    @Test
    default void deleteTakesPlaceIfItsConditionHolds() {
        assumeTrue(can(Capability.CONDITIONAL_WRITE), "takes no conditions");
        assumeTrue(deletesUnderConditions(), "deletes without conditions only");
        ETag tag = put("kept", new byte[] {1}).eTag().orElseThrow();

        ContractCases.failure(
                backend().delete(onlyIf("kept", new WriteCondition.Matches(ETag.strong("other"))), HeaderList.EMPTY),
                Kind.PRECONDITION_FAILED);
        assertHolds("kept", new byte[] {1});

        ContractCases.await(backend().delete(onlyIf("kept", new WriteCondition.Matches(tag)), HeaderList.EMPTY));
        assertMissing("kept");
    }

    /** S3 answers 204: what should not be there is not. */
    @Test
    default void conditionalDeleteOfWhatIsNotThereSucceeds() {
        assumeTrue(can(Capability.CONDITIONAL_WRITE), "takes no conditions");
        assumeTrue(deletesUnderConditions(), "deletes without conditions only");

        ContractCases.await(
                backend().delete(onlyIf("nothing", new WriteCondition.Matches(ETag.strong("any"))), HeaderList.EMPTY));

        assertMissing("nothing");
    }

    @Test
    default void ofManyDeletesThoseWhoseConditionHoldsTakePlace() {
        assumeTrue(can(Capability.CONDITIONAL_WRITE), "takes no conditions");
        assumeTrue(deletesUnderConditions(), "deletes without conditions only");
        ETag tag = put("a", new byte[] {1}).eTag().orElseThrow();
        put("b", new byte[] {2});

        List<DeleteOutcome> outcomes = ContractCases.await(backend()
                .deleteAll(
                        bucket(),
                        List.of(
                                onlyIf("a", new WriteCondition.Matches(tag)),
                                onlyIf("b", new WriteCondition.Matches(tag))),
                        HeaderList.EMPTY));

        assertThat(outcomes)
                .extracting(outcome -> outcome.failure().map(BackendException::kind))
                .containsExactly(Optional.empty(), Optional.of(Kind.PRECONDITION_FAILED));
        assertMissing("a");
        assertHolds("b", new byte[] {2});
    }

    private Deletion onlyIf(String key, WriteCondition condition) {
        return new Deletion(ref(key), Optional.empty(), condition);
    }

    /** The tag of the winner, after a check that the key holds what it wrote. */
    private ETag assertOneWinner(String key, int round, Function<Integer, WriteCondition> condition) {
        List<Integer> winners = ContractCases.await(Flux.range(0, WRITERS)
                .flatMap(i -> attempt(key, condition.apply(i), content(round, i), i), WRITERS)
                .collectList());

        assertThat(winners).as("winners of round %d", round).hasSize(1);
        byte[] won = content(round, winners.get(0));
        assertHolds(key, won);
        return ETag.strong(StoredObject.md5(won));
    }

    /** The writer's number if it won. A server may also tell a loser that it met another write (409). */
    private Mono<Integer> attempt(String key, WriteCondition condition, byte[] bytes, int writer) {
        return backend()
                .put(target(key, HeaderList.EMPTY, condition), Body.of(bytes))
                .subscribeOn(Schedulers.boundedElastic())
                .map(written -> writer)
                .onErrorResume(BackendException.class, failure -> isLost(failure) ? Mono.empty() : Mono.error(failure));
    }

    private void increment() {
        while (true) {
            byte[] bytes = read(asking(ref("counter").key()));
            ETag seen = ETag.strong(StoredObject.md5(bytes));
            byte[] next = {(byte) (bytes[0] + 1)};
            boolean won = attempt("counter", new WriteCondition.Matches(seen), next, 0)
                    .blockOptional(PATIENCE)
                    .isPresent();
            if (won) {
                return;
            }
        }
    }

    private static boolean isLost(BackendException failure) {
        return failure.kind() == Kind.PRECONDITION_FAILED
                || failure.words().map(words -> words.status() == 409).orElse(false);
    }

    private static byte[] content(int round, int writer) {
        return new Bytes("round " + round, writer).first(20_000 + writer);
    }

    private static WriteCondition condition(String words, ETag same) {
        return switch (words) {
            case "absent" -> new WriteCondition.Absent();
            case "exists" -> new WriteCondition.Exists();
            case "matches same" -> new WriteCondition.Matches(same);
            case "matches other" -> new WriteCondition.Matches(ETag.strong("0123456789abcdef0123456789abcdef"));
            case "differs same" -> new WriteCondition.Differs(same);
            default -> new WriteCondition.Differs(ETag.strong("0123456789abcdef0123456789abcdef"));
        };
    }

    private static List<Kind> kinds(String outcome) {
        return switch (outcome) {
            case "FAILS" -> List.of(Kind.PRECONDITION_FAILED);
            case "MISSING" -> List.of(Kind.NO_SUCH_KEY);
            default -> List.of(Kind.NO_SUCH_KEY, Kind.PRECONDITION_FAILED);
        };
    }
}
