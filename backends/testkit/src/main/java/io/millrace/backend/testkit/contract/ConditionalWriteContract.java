package io.millrace.backend.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectWriter.DeleteOutcome;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.data.UploadBodies;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** A conditional write is atomic: table commits and locks rely on it. */
interface ConditionalWriteContract extends WriteSupport {
    int WRITERS = 16;
    int ROUNDS = 20;

    /** Returns whether {@link WriteCondition.IfDiffers} is supported; few servers do. */
    boolean supportsDiffersCondition();

    /** Returns whether {@link WriteCondition.IfExists} is supported. */
    boolean supportsExistsCondition();

    /** Returns whether deletes take conditions. */
    boolean supportsConditionalDelete();

    /**
     * Each row: the condition; whether an object exists, with the tag {@code same}; the outcome. NONE may be either of
     * two errors, because servers differ in their response to {@code *} without an object.
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
        assumeTrue(supports(Capability.CONDITIONAL_WRITE), "takes no conditions");
        assumeTrue(!condition.startsWith("differs") || supportsDiffersCondition(), "does not know this condition");
        assumeTrue(!condition.startsWith("exists") || supportsExistsCondition(), "does not know this condition");
        byte[] old = GeneratedBytes.of("old").first(1000);
        boolean there = before.equals("there");
        ETag same = there ? put("conditional", old).eTag().orElseThrow() : ETag.strong("none");
        byte[] bytes = GeneratedBytes.of("new").first(100_000);
        var write = backend()
                .put(target("conditional", HeaderList.EMPTY, condition(condition, same)), UploadBodies.of(bytes));

        if (outcome.equals("WRITES")) {
            ContractSupport.await(write);
            assertContent("conditional", bytes);
            return;
        }
        BackendException failure = catchThrowableOfType(BackendException.class, () -> write.block(TIMEOUT));
        assertThat(failure).isNotNull();
        assertThat(failure.kind()).isIn(kinds(outcome));
        if (there) {
            assertContent("conditional", old);
        } else {
            assertMissing("conditional");
        }
    }

    @Test
    default void weakTagMatchesNothing() {
        assumeTrue(supports(Capability.CONDITIONAL_WRITE), "takes no conditions");
        ETag tag = put("weak", new byte[] {1}).eTag().orElseThrow();
        WriteCondition weak = new WriteCondition.IfMatches(new ETag(tag.opaque(), true));

        ContractSupport.assertFailure(
                backend().put(target("weak", HeaderList.EMPTY, weak), UploadBodies.of(new byte[] {2})),
                FailureKind.PRECONDITION_FAILED);
    }

    @Test
    default void ofRacingCreatorsExactlyOneWins() {
        assumeTrue(supports(Capability.CONDITIONAL_WRITE), "takes no conditions");
        for (int round = 0; round < ROUNDS; round++) {
            String key = "log/%020d.json".formatted(round);

            assertOneWinner(key, round, i -> new WriteCondition.IfAbsent());
        }
    }

    @Test
    default void ofRacingReplacersExactlyOneWins() {
        assumeTrue(supports(Capability.CONDITIONAL_WRITE), "takes no conditions");
        ETag tag = put("pointer", new byte[] {1}).eTag().orElseThrow();
        for (int round = 0; round < ROUNDS; round++) {
            ETag current = tag;

            tag = assertOneWinner("pointer", round, i -> new WriteCondition.IfMatches(current));
        }
    }

    @Test
    default void countersUnderConditionsLoseNoStep() {
        assumeTrue(supports(Capability.CONDITIONAL_WRITE), "takes no conditions");
        put("counter", new byte[] {0});

        ContractSupport.await(Flux.range(0, 8)
                .flatMap(i -> Mono.fromRunnable(this::increment).subscribeOn(Schedulers.boundedElastic()), 8)
                .then(Mono.just(true)));

        assertContent("counter", new byte[] {8});
    }

    @Test
    default void deleteTakesPlaceIfItsConditionHolds() {
        assumeTrue(supports(Capability.CONDITIONAL_WRITE), "takes no conditions");
        assumeTrue(supportsConditionalDelete(), "deletes without conditions only");
        ETag tag = put("kept", new byte[] {1}).eTag().orElseThrow();

        ContractSupport.assertFailure(
                backend().delete(onlyIf("kept", new WriteCondition.IfMatches(ETag.strong("other"))), HeaderList.EMPTY),
                FailureKind.PRECONDITION_FAILED);
        assertContent("kept", new byte[] {1});

        ContractSupport.await(backend().delete(onlyIf("kept", new WriteCondition.IfMatches(tag)), HeaderList.EMPTY));
        assertMissing("kept");
    }

    /** S3 responds with 204, because the object is absent. */
    @Test
    default void conditionalDeleteOfWhatIsNotThereSucceeds() {
        assumeTrue(supports(Capability.CONDITIONAL_WRITE), "takes no conditions");
        assumeTrue(supportsConditionalDelete(), "deletes without conditions only");

        ContractSupport.await(backend()
                .delete(onlyIf("nothing", new WriteCondition.IfMatches(ETag.strong("any"))), HeaderList.EMPTY));

        assertMissing("nothing");
    }

    @Test
    default void batchDeleteDeletesOnlyKeysWithMetConditions() {
        assumeTrue(supports(Capability.CONDITIONAL_WRITE), "takes no conditions");
        assumeTrue(supportsConditionalDelete(), "deletes without conditions only");
        ETag tag = put("a", new byte[] {1}).eTag().orElseThrow();
        put("b", new byte[] {2});

        List<DeleteOutcome> outcomes = ContractSupport.await(backend()
                .deleteAll(
                        bucket(),
                        List.of(
                                onlyIf("a", new WriteCondition.IfMatches(tag)),
                                onlyIf("b", new WriteCondition.IfMatches(tag))),
                        HeaderList.EMPTY));

        assertThat(outcomes)
                .extracting(outcome -> outcome.failure().map(BackendException::kind))
                .containsExactly(Optional.empty(), Optional.of(FailureKind.PRECONDITION_FAILED));
        assertMissing("a");
        assertContent("b", new byte[] {2});
    }

    private Deletion onlyIf(String key, WriteCondition condition) {
        return new Deletion(ref(key), Optional.empty(), condition);
    }

    /** The tag of the winner, after a check that the key holds what it wrote. */
    private ETag assertOneWinner(String key, int round, Function<Integer, WriteCondition> condition) {
        List<Integer> winners = ContractSupport.await(Flux.range(0, WRITERS)
                .flatMap(i -> attempt(key, condition.apply(i), content(round, i), i), WRITERS)
                .collectList());

        assertThat(winners).as("winners of round %d", round).hasSize(1);
        byte[] won = content(round, winners.get(0));
        assertContent(key, won);
        return head(readRequest(ref(key).key())).head().eTag().orElseThrow();
    }

    /** Returns the number of the writer if it won. A server may also report a conflict (409) to a loser. */
    private Mono<Integer> attempt(String key, WriteCondition condition, byte[] bytes, int writer) {
        return backend()
                .put(target(key, HeaderList.EMPTY, condition), UploadBodies.of(bytes))
                .subscribeOn(Schedulers.boundedElastic())
                .map(written -> writer)
                .onErrorResume(BackendException.class, failure -> isLost(failure) ? Mono.empty() : Mono.error(failure));
    }

    private void increment() {
        while (true) {
            ObjectContent content = open(readRequest(ref("counter").key()));
            ETag seen = content.head().eTag().orElseThrow();
            byte[] bytes = drain(content);
            byte[] next = {(byte) (bytes[0] + 1)};
            boolean won = attempt("counter", new WriteCondition.IfMatches(seen), next, 0)
                    .blockOptional(TIMEOUT)
                    .isPresent();
            if (won) {
                return;
            }
        }
    }

    private static boolean isLost(BackendException failure) {
        return failure.kind() == FailureKind.PRECONDITION_FAILED
                || failure.s3Error().map(words -> words.status() == 409).orElse(false);
    }

    private static byte[] content(int round, int writer) {
        return new GeneratedBytes("round " + round, writer).first(20_000 + writer);
    }

    private static WriteCondition condition(String words, ETag same) {
        return switch (words) {
            case "absent" -> new WriteCondition.IfAbsent();
            case "exists" -> new WriteCondition.IfExists();
            case "matches same" -> new WriteCondition.IfMatches(same);
            case "matches other" -> new WriteCondition.IfMatches(ETag.strong("0123456789abcdef0123456789abcdef"));
            case "differs same" -> new WriteCondition.IfDiffers(same);
            default -> new WriteCondition.IfDiffers(ETag.strong("0123456789abcdef0123456789abcdef"));
        };
    }

    private static List<FailureKind> kinds(String outcome) {
        return switch (outcome) {
            case "FAILS" -> List.of(FailureKind.PRECONDITION_FAILED);
            case "MISSING" -> List.of(FailureKind.NO_SUCH_KEY);
            default -> List.of(FailureKind.NO_SUCH_KEY, FailureKind.PRECONDITION_FAILED);
        };
    }
}
