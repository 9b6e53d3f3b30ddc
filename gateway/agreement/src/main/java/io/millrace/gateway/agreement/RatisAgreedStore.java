package io.millrace.gateway.agreement;

import io.millrace.kit.async.DaemonThreads;
import io.millrace.kit.async.ExecutedCall;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.retry.RetryPolicies;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * An {@link AgreedStore} by Apache Ratis in this process: a client of the voters, and one of the voters itself if this
 * member is one. A call asks again until it has a reply or its time is over, and a transaction has an id by which the
 * voters make it once. Calls block threads of the store, and nobody else's.
 */
final class RatisAgreedStore implements AgreedStore {
    private static final Logger log = LoggerFactory.getLogger(RatisAgreedStore.class);

    /** In which a new leader is found several times over. */
    static final Duration LONGEST_CALL = Duration.ofSeconds(10);

    private static final Duration PAUSE = Duration.ofMillis(100);
    private static final Duration IDLE_THREAD = Duration.ofSeconds(30);
    private static final int MOST_AT_ONCE = 4;
    private static final int MOST_WAITING = 1_000;

    private final ThreadPoolExecutor calls =
            DaemonThreads.pool("agreement-call-", MOST_AT_ONCE, IDLE_THREAD, new LinkedBlockingQueue<>(MOST_WAITING));
    private final RaftClient client;
    private final @Nullable RatisVoter voter;
    private final Duration longestCall;

    /** The newest revision that a reply had. */
    private final AtomicLong seen = new AtomicLong();

    private volatile boolean isClosed;

    private RatisAgreedStore(RaftClient client, @Nullable RatisVoter voter, Duration longestCall) {
        this.client = client;
        this.voter = voter;
        this.longestCall = longestCall;
    }

    /**
     * Opens the store, and starts this member's voter if it is one: calls wait until a majority of voters is there.
     * Blocks for the folder's state alone.
     *
     * @throws IOException if the folder's state cannot be read; the message says what to do
     */
    static RatisAgreedStore open(AgreementPlace place, OtherVoters others) throws IOException {
        return open(place, others, LONGEST_CALL, RatisSettings.SNAPSHOT_EVERY);
    }

    static RatisAgreedStore open(AgreementPlace place, OtherVoters others, Duration longestCall, int snapshotEvery)
            throws IOException {
        RatisLink link = RatisLink.of(place, snapshotEvery);
        @Nullable RatisVoter voter = place.isVoter() ? new RatisVoter(link, others) : null;
        // It asks again itself: by time, since refused connections use up any number, and for all failures.
        RaftClient client = link.client(link.voters(), RetryPolicies.noRetry());
        if (voter != null) {
            // Last, since nobody could close it if anything failed after it.
            voter.start();
        }
        return new RatisAgreedStore(client, voter, longestCall);
    }

    /** Returns the state of this member's voter, for {@link OtherVoters} of the others; empty if it is none. */
    Mono<VoterState> state() {
        return Mono.justOrEmpty(voter).map(RatisVoter::state);
    }

    /** Returns the voter that has replied last, which is the leader as far as this member knows. */
    String leader() {
        return client.getLeaderId().toString();
    }

    @Override
    public Mono<Long> transact(List<RevisionCompare> compares, List<Change> changes) {
        Transaction transaction = new Transaction(compares, changes);
        return onThreads(() -> transact(transaction));
    }

    @Override
    public Mono<List<AgreedEntry>> range(String prefix) {
        AgreedLimits.checkPrefix(prefix);
        return onThreads(() -> read(prefix));
    }

    /** A call that blocks. */
    @FunctionalInterface
    private interface Call<T> {
        @Nullable T run() throws AgreedStoreException;
    }

    private <T> Mono<T> onThreads(Call<T> call) {
        return ExecutedCall.on(calls, call::run, RatisAgreedStore::refused);
    }

    private static AgreedStoreException refused(RejectedExecutionException rejection) {
        return new AgreedStoreException("the agreed store is closed, or has too many calls", rejection);
    }

    private @Nullable Long transact(Transaction transaction) throws AgreedStoreException {
        long begin = System.nanoTime();
        TransactionRequest request = new TransactionRequest(UUID.randomUUID(), seen.get(), transaction);
        boolean isRepeated = false;
        while (true) {
            try {
                TransactionReply reply = attempt(request);
                if (reply.status() != TransactionReply.Status.EXPIRED || isRepeated) {
                    return revisionOf(reply);
                }
                request = new TransactionRequest(request.id(), seen.get(), transaction);
            } catch (IOException | RuntimeException failure) {
                isRepeated = true;
                if (isOver(begin)) {
                    throw new UnknownOutcomeException(
                            "the voters of the agreed store have not replied, and may have made the changes (%s)"
                                    .formatted(failure.getMessage()),
                            failure);
                }
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        }
    }

    /** Sends a request once. Blocks for a second at most. */
    TransactionReply attempt(TransactionRequest request) throws IOException {
        RaftClientReply reply = client.io().send(AgreedStateMachine.message(AgreedCodec.encode(request)));
        TransactionReply outcome = AgreedCodec.reply(contentOf(reply));
        seen.accumulateAndGet(outcome.revision(), Math::max);
        return outcome;
    }

    private static @Nullable Long revisionOf(TransactionReply reply) throws AgreedStoreException {
        return switch (reply.status()) {
            case APPLIED -> reply.revision();
            case CONFLICT -> null;
            case FULL ->
                throw new AgreedStoreException(
                        "the agreed store is full: it has %d bytes at most".formatted(AgreedLimits.MOST_MAP), null);
            case EXPIRED ->
                throw new UnknownOutcomeException(
                        "the voters of the agreed store do not remember whether they have made the changes", null);
            case MALFORMED ->
                throw new AgreedStoreException(
                        "the voters of the agreed store do not know this request: they run another release", null);
        };
    }

    private List<AgreedEntry> read(String prefix) throws AgreedStoreException {
        long begin = System.nanoTime();
        while (true) {
            try {
                RaftClientReply reply =
                        client.io().sendReadOnly(AgreedStateMachine.message(AgreedCodec.encodePrefix(prefix)));
                return AgreedCodec.entries(contentOf(reply));
            } catch (IOException | RuntimeException failure) {
                if (isOver(begin)) {
                    throw new AgreedStoreException(
                            "no majority of the voters of the agreed store has replied (%s)"
                                    .formatted(failure.getMessage()),
                            failure);
                }
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        }
    }

    private static byte[] contentOf(RaftClientReply reply) throws IOException {
        if (!reply.isSuccess()) {
            throw new IOException("refused", reply.getException());
        }
        return reply.getMessage().getContent().toByteArray();
    }

    private boolean isOver(long begin) {
        return isClosed || System.nanoTime() - begin >= longestCall.toNanos();
    }

    @Override
    public synchronized void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        calls.shutdown();
        try {
            if (!calls.awaitTermination(longestCall.toSeconds(), TimeUnit.SECONDS)) {
                log.warn("Calls to the agreed store have not ended in {}", longestCall);
            }
        } catch (InterruptedException interruption) {
            Thread.currentThread().interrupt();
        }
        try {
            client.close();
        } catch (IOException failure) {
            log.warn("The agreed store has not closed in order", failure);
        }
        if (voter != null) {
            voter.close();
        }
    }
}
