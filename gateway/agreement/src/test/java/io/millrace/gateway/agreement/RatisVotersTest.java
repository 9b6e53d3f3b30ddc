package io.millrace.gateway.agreement;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.Polling;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;

/** Voters that are closed and have lost their disks: what was agreed on stays, or nothing is agreed on. */
class RatisVotersTest {
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final int SNAPSHOT_EVERY = 40;

    private final VoterCluster cluster;

    RatisVotersTest(@TempDir Path folder) throws IOException {
        cluster = new VoterCluster(folder, SNAPSHOT_EVERY);
    }

    @AfterEach
    void close() throws IOException {
        cluster.close();
    }

    @Test
    void othersGoOnWhenTheLeaderIsClosed() throws IOException {
        cluster.openAll();
        put(VoterCluster.CLIENT, "a", "one");

        cluster.close(cluster.store(VoterCluster.CLIENT).leader());

        put(VoterCluster.CLIENT, "b", "two");
        assertThat(values(VoterCluster.CLIENT)).containsExactly("one", "two");
    }

    /** By a snapshot: the others no longer have the beginning of the log. */
    @Test
    void emptiedVoterIsFilledByTheOthersAndVotes() throws IOException {
        cluster.openAll();
        put(VoterCluster.CLIENT, "a", "one");
        String large = "x".repeat(32 << 10);
        Flux.range(0, 4 * SNAPSHOT_EVERY)
                .flatMap(
                        i -> cluster.store(VoterCluster.CLIENT)
                                .transact(List.of(), List.of(new Change.Put("large", large))),
                        4)
                .blockLast(LIMIT);
        awaitAllVote();
        await("the logs begin later", () -> hasBegunLater("gw-0") && hasBegunLater("gw-2"));

        cluster.close("gw-1");
        cluster.empty("gw-1");
        cluster.open("gw-1");
        await("it votes again", () -> cluster.isIn("gw-1", VoterState.VOTING));
        cluster.close("gw-2");

        put("gw-1", "b", "two");
        assertThat(values("gw-1")).containsExactly("one", "two", large);
    }

    @Test
    void nothingIsForgottenWhenTheStalestVoterComesFirst() throws IOException {
        cluster.openAll();
        put(VoterCluster.CLIENT, "a", "one");
        awaitAllVote();
        cluster.close("gw-0");
        put(VoterCluster.CLIENT, "b", "two");
        cluster.closeAll();

        cluster.open("gw-0");
        cluster.open("gw-1");

        assertThat(values("gw-0")).containsExactly("one", "two");
    }

    /** They cannot know that they are not new: two of three would be a majority. */
    @Test
    void twoEmptiedVotersDoNotBeginAnew() throws IOException {
        cluster.openAll();
        put(VoterCluster.CLIENT, "a", "one");
        awaitAllVote();
        cluster.closeAll();
        cluster.empty("gw-0");
        cluster.empty("gw-1");

        cluster.open("gw-0");
        cluster.open("gw-1");
        Polling.holdsFor(Duration.ofSeconds(2), this::areBothEmpty);
        cluster.open("gw-2");
        Polling.holdsFor(Duration.ofSeconds(2), this::areBothEmpty);
    }

    private boolean areBothEmpty() {
        return cluster.isIn("gw-0", VoterState.EMPTY) && cluster.isIn("gw-1", VoterState.EMPTY);
    }

    private void awaitAllVote() {
        await("all vote", () -> VoterCluster.VOTERS.stream().allMatch(voter -> cluster.isIn(voter, VoterState.VOTING)));
    }

    /** Waits longer than others: each step of a voter asks again for seconds where a machine stands still. */
    private static void await(String what, Callable<Boolean> holds) {
        Polling.within(LIMIT).alias(what).until(holds);
    }

    private boolean hasBegunLater(String voter) {
        try (Stream<Path> files = Files.walk(cluster.folderOf(voter))) {
            return files.map(file -> file.getFileName().toString())
                    .noneMatch(name -> name.startsWith("log_0-") || name.equals("log_inprogress_0"));
        } catch (IOException | UncheckedIOException changing) {
            return false;
        }
    }

    private void put(String node, String key, String value) {
        assertThat(cluster.store(node)
                        .transact(List.of(), List.of(new Change.Put(key, value)))
                        .block(LIMIT))
                .isNotNull();
    }

    private List<String> values(String node) {
        return AgreedStoreContract.get(cluster.store(node).range("")).stream()
                .map(AgreedEntry::value)
                .toList();
    }
}
