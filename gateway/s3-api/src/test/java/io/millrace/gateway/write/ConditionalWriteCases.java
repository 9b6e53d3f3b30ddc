package io.millrace.gateway.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.testkit.Promise;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.gateway.testkit.RawClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Writes under conditions, on which commits of tables and locks rest: decided by the backend in one step with the
 * write.
 */
interface ConditionalWriteCases extends EndpointWriteCases {
    int WRITERS = 16;

    @Test
    default void onlyTheFirstWritesWhereNothingMayBe() throws IOException {
        byte[] first = stored("absent", "first", 100, "If-None-Match: *");

        EndpointWriteCases.assertError(
                send(SignedWriteRequest.put(target("absent"), new byte[5]).with("If-None-Match: *")),
                412,
                "PreconditionFailed");

        assertHolds("absent", first);
        sdk().deleteObject(delete -> delete.bucket(bucket()).key("absent"));
        assertHolds("absent", stored("absent", "third", 100, "If-None-Match: *"));
    }

    @Test
    default void onlyTheContentThatWasMeantIsReplaced() throws IOException {
        byte[] before = storedAndRead("meant", "before", 100);
        String tag = String.valueOf(head("meant").headers().get("etag"));

        EndpointWriteCases.assertError(
                send(SignedWriteRequest.put(target("meant"), new byte[5])
                        .with("If-Match: \"0123456789abcdef0123456789abcdef\"")),
                412,
                "PreconditionFailed");
        assertHolds("meant", before);

        byte[] after = stored("meant", "after", 100, "If-Match: " + tag);
        assertHolds("meant", after);
        EndpointWriteCases.assertError(
                send(SignedWriteRequest.put(target("meant"), new byte[5]).with("If-Match: " + tag)),
                412,
                "PreconditionFailed");
        assertHolds("meant", after);
    }

    @Test
    default void ifMatchFailsForAMissingKey() throws IOException {
        RawClient.Response response = send(SignedWriteRequest.put(target("nothing"), new byte[5])
                .with("If-Match: \"0123456789abcdef0123456789abcdef\""));

        assertThat(response.status()).as(response.text()).isIn(404, 412);
        assertAbsent("nothing");
    }

    @Test
    default void refusesUnsupportedConditions() throws IOException {
        for (String[] fields : List.of(
                new String[] {"If-Match: *", "If-None-Match: *"},
                new String[] {"If-Modified-Since: Thu, 01 Dec 1994 16:00:00 GMT"},
                new String[] {"If-Unmodified-Since: Thu, 01 Dec 2033 16:00:00 GMT"})) {
            EndpointWriteCases.assertError(
                    send(SignedWriteRequest.put(target("unknown-condition"), new byte[5])
                            .with(fields)),
                    501,
                    "NotImplemented");
        }
        assertAbsent("unknown-condition");
    }

    /** Read as one tag, a list would be a condition that always holds. */
    @Test
    default void aConditionThatIsNotOneTagIsRefused() throws IOException {
        byte[] before = stored("listed", "before", 100);
        String tag = String.valueOf(head("listed").headers().get("etag"));

        for (String condition : List.of(
                "If-None-Match: \"b\"," + tag,
                "If-None-Match: " + tag + ", \"b\"",
                "If-None-Match: *, \"b\"",
                "If-None-Match: *,*",
                "If-None-Match: b," + tag.replace("\"", ""),
                "If-None-Match: b " + tag.replace("\"", ""),
                "If-None-Match: \"b",
                "If-None-Match:",
                "If-Match: \"b\"," + tag,
                "If-Match: *, " + tag)) {
            EndpointWriteCases.assertError(
                    send(SignedWriteRequest.put(target("listed"), new byte[5]).with(condition)), 501, "NotImplemented");
        }
        assertHolds("listed", before);
    }

    @Test
    default void onlyTheContentThatWasMeantIsDeleted() throws IOException {
        assumeTrue(can(OptionalFeature.CONDITIONAL_DELETE), "deletes without conditions");
        byte[] bytes = stored("doomed", "doomed", 100);
        String tag = String.valueOf(head("doomed").headers().get("etag"));

        EndpointWriteCases.assertError(
                send(SignedWriteRequest.of("DELETE", target("doomed"))
                        .with("If-Match: \"0123456789abcdef0123456789abcdef\"")),
                412,
                "PreconditionFailed");
        assertHolds("doomed", bytes);

        assertThat(send(SignedWriteRequest.of("DELETE", target("doomed")).with("If-Match: " + tag))
                        .status())
                .isEqualTo(204);
        assertAbsent("doomed");
    }

    @Promise("W9")
    @Test
    default void ofRacingWritersOneWinsEachRound() throws Exception {
        race(20);
    }

    @Test
    @Tag("long")
    default void oneOfManyRacingWritersWinsManyRounds() throws Exception {
        race(100);
    }

    private void race(int rounds) throws Exception {
        assumeTrue(can(OptionalFeature.ATOMIC_CONDITIONS), "looks first and writes afterwards");
        ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
        try {
            String condition = "If-None-Match: *";
            sdk().deleteObject(delete -> delete.bucket(bucket()).key("raced"));
            for (int round = 0; round < rounds; round++) {
                condition = "If-Match: " + raceOnce(writers, round, condition);
            }
        } finally {
            writers.shutdownNow();
        }
    }

    /** The tag of what the winner wrote, which is what is there. */
    private String raceOnce(ExecutorService writers, int round, String condition) throws Exception {
        CyclicBarrier start = new CyclicBarrier(WRITERS);
        List<Callable<RawClient.Response>> attempts = new ArrayList<>();
        for (int writer = 0; writer < WRITERS; writer++) {
            byte[] bytes = GeneratedBytes.of("writer-" + round + "-" + writer).first(300);
            attempts.add(() -> {
                start.await();
                return send(SignedWriteRequest.put(target("raced"), bytes).with(condition));
            });
        }
        List<Integer> winners = new ArrayList<>();
        List<Future<RawClient.Response>> ended = writers.invokeAll(attempts);
        for (int writer = 0; writer < WRITERS; writer++) {
            RawClient.Response response = ended.get(writer).get();
            assertThat(response.status()).as(response.text()).isIn(200, 409, 412);
            if (response.status() == 200) {
                winners.add(writer);
            }
        }
        assertThat(winners).as("round %d under %s", round, condition).hasSize(1);
        assertHolds(
                "raced",
                GeneratedBytes.of("writer-" + round + "-" + winners.get(0)).first(300));
        return String.valueOf(head("raced").headers().get("etag"));
    }
}
