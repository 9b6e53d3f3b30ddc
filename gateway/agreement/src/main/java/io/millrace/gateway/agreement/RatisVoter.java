package io.millrace.gateway.agreement;

import io.millrace.kit.async.DaemonThreads;
import java.io.IOException;
import java.net.BindException;
import java.nio.channels.OverlappingFileLockException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.retry.RetryPolicies;
import org.apache.ratis.retry.RetryPolicy;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.util.ExitUtils;
import org.apache.ratis.util.LifeCycle;
import org.apache.ratis.util.TimeDuration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * This member's voter: starts a server as its folder's {@link VoterState} says, watches it, and opens it again if it
 * has closed. All of that is on one thread, which may block.
 *
 * <p>A voter that has lost what it knew must not vote as if there had been nothing: two such voters would elect each
 * other and forget. So the map is founded only if each voter says that it has nothing, and else a voter with nothing
 * takes itself off the list of voters first, which a majority of the others must agree to; it is filled as none, and
 * votes again when it has all. Each step may be repeated, after a crash too.
 */
final class RatisVoter implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(RatisVoter.class);

    private static final Duration PERIOD = Duration.ofMillis(500);
    private static final Duration LONGEST_QUESTION = Duration.ofSeconds(2);
    private static final Duration LONGEST_CLOSE = Duration.ofSeconds(30);

    /** Starts that fail, and ends without a leader, in a row, until the log counts as damaged. */
    private static final int MOST_FAILURES = 3;

    private static final RetryPolicy TEN_TIMES =
            RetryPolicies.retryUpToMaximumCountWithFixedSleep(10, TimeDuration.valueOf(100, TimeUnit.MILLISECONDS));

    private final RatisLink link;
    private final OtherVoters others;
    private final VoterFolder folder;
    private final ScheduledThreadPoolExecutor thread = DaemonThreads.timer("agreement-voter");
    private volatile VoterState state;
    private @Nullable Running running;
    private int failures;
    private String reported = "";

    /** A server that was started, and the map behind it. */
    private record Running(RaftServer server, AgreedStateMachine machine) {}

    RatisVoter(RatisLink link, OtherVoters others) throws IOException {
        this.link = link;
        this.others = others;
        this.folder = new VoterFolder(link.place());
        this.state = folder.state();
    }

    @SuppressWarnings("FutureReturnValueIgnored") // a step tells of its own failure
    void start() {
        thread.scheduleWithFixedDelay(this::step, 0, PERIOD.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Returns what the others may be told; it is durable. */
    VoterState state() {
        return state;
    }

    private void step() {
        try {
            if (running != null && !isHealthy(running)) {
                log.warn("The voter of the agreed store has closed, and is opened again");
                failures++;
                stopServer();
            }
            if (running == null) {
                open();
            } else {
                settle(running);
            }
            reported = "";
        } catch (IOException | RuntimeException failure) {
            report(failure);
        }
    }

    /** A server whose part for this group has closed may still say that it runs. */
    private boolean isHealthy(Running voter) {
        try {
            return voter.server().getLifeCycleState() == LifeCycle.State.RUNNING
                    && !voter.machine().isFailed()
                    && infoOf(voter).isAlive();
        } catch (IOException closed) {
            return false;
        }
    }

    private DivisionInfo infoOf(Running voter) throws IOException {
        return voter.server().getDivision(link.group()).getInfo();
    }

    private void open() throws IOException {
        switch (state) {
            case EMPTY -> begin();
            case FOUNDING -> startServer(link.voters());
            case JOINING -> {
                agreeOn(link.otherVoters());
                folder.deleteLog();
                startServer(List.of());
            }
            case VOTING -> reopen();
        }
    }

    private void begin() throws IOException {
        Map<String, VoterState> states = statesOfOthers();
        if (states.containsValue(VoterState.VOTING) || states.containsValue(VoterState.JOINING)) {
            join();
        } else if (states.size() == link.otherVoters().size()) {
            folder.setLogAside();
            become(VoterState.FOUNDING);
            startServer(link.voters());
        } else {
            throw new IOException(("of the other voters %s only %s can be reached, and all must say that they have"
                            + " nothing before the agreed store is founded")
                    .formatted(link.place().otherVoters().keySet(), states.keySet()));
        }
    }

    private Map<String, VoterState> statesOfOthers() {
        return Objects.requireNonNull(Flux.fromIterable(
                        link.place().otherVoters().keySet())
                .flatMap(name -> others.state(name)
                        .timeout(LONGEST_QUESTION)
                        .onErrorResume(unreachable -> Mono.empty())
                        .map(found -> Map.entry(name, found)))
                .collectMap(Map.Entry::getKey, Map.Entry::getValue)
                .block());
    }

    private void join() throws IOException {
        agreeOn(link.otherVoters());
        log.warn("This voter of the agreed store has lost what it knew, and is filled by the others");
        folder.setLogAside();
        become(VoterState.JOINING);
        startServer(List.of());
        failures = 0;
    }

    private void reopen() throws IOException {
        boolean isAlone = link.otherVoters().isEmpty();
        if (!folder.hasLog() && isAlone) {
            throw new IOException(("the log of the only voter is missing in %s: restore it, or move that folder away to"
                            + " begin with nothing")
                    .formatted(link.place().folder()));
        }
        if (folder.hasLog() && (failures < MOST_FAILURES || isAlone)) {
            try {
                startServer(List.of());
            } catch (IOException | RuntimeException failure) {
                failures += isOfItsSurroundings(failure) ? 0 : 1;
                throw failure;
            }
            return;
        }
        // Whatever comes of it, the log is tried again before: all voters may have the same trouble.
        failures = 0;
        join();
    }

    /** Returns whether a start failed for a reason that says nothing of the log. */
    private static boolean isOfItsSurroundings(Throwable failure) {
        for (@Nullable Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof BindException
                    || cause instanceof ExitUtils.ExitException
                    || cause instanceof OverlappingFileLockException) {
                return true;
            }
        }
        return false;
    }

    private void settle(Running voter) throws IOException {
        DivisionInfo info = infoOf(voter);
        if (info.getLeaderId() != null) {
            failures = 0;
        }
        if (state == VoterState.FOUNDING && info.getLastAppliedIndex() >= 0) {
            become(VoterState.VOTING);
        } else if (state == VoterState.JOINING) {
            agreeOn(link.voters());
            become(VoterState.VOTING);
        }
    }

    private void become(VoterState next) throws IOException {
        folder.become(next);
        state = next;
        log.info("The voter of the agreed store is {} now", next);
    }

    /** Makes these the voters, of whom a majority agrees; no change if they are. */
    private void agreeOn(List<RaftPeer> voters) throws IOException {
        try (RaftClient client = link.client(link.otherVoters(), TEN_TIMES)) {
            RaftClientReply reply = client.admin().setConfiguration(voters);
            if (!reply.isSuccess()) {
                throw new IOException("refused", reply.getException());
            }
        } catch (IOException failure) {
            throw new IOException(
                    "a majority of the other voters %s must agree that this one %s, and has not (%s)"
                            .formatted(
                                    link.place().otherVoters(),
                                    state == VoterState.JOINING ? "joins" : "has lost what it knew",
                                    failure.getMessage()),
                    failure);
        }
    }

    private void startServer(Collection<RaftPeer> founders) throws IOException {
        AgreedStateMachine machine = new AgreedStateMachine();
        RaftServer server = link.server(machine, founders);
        boolean isStarted = false;
        try {
            server.start();
            isStarted = true;
        } finally {
            if (!isStarted) {
                server.close();
            }
        }
        running = new Running(server, machine);
    }

    private void stopServer() throws IOException {
        @Nullable Running voter = running;
        running = null;
        if (voter != null) {
            voter.server().close();
        }
    }

    /** Each step is tried again soon: the same failure is one line. */
    private void report(Exception failure) {
        String text = String.valueOf(failure.getMessage());
        if (!text.equals(reported)) {
            log.warn("The voter of the agreed store does not vote yet: {}", text);
            log.debug("It failed so", failure);
            reported = text;
        }
    }

    /** Stops the server when the step that runs has ended; blocks until then. */
    @Override
    public void close() {
        thread.execute(() -> {
            try {
                stopServer();
            } catch (IOException failure) {
                log.warn("The voter of the agreed store has not closed in order", failure);
            }
        });
        thread.shutdown();
        try {
            if (!thread.awaitTermination(LONGEST_CLOSE.toSeconds(), TimeUnit.SECONDS)) {
                log.warn("The voter of the agreed store has not closed in {}", LONGEST_CLOSE);
            }
        } catch (InterruptedException interruption) {
            Thread.currentThread().interrupt();
        }
    }
}
