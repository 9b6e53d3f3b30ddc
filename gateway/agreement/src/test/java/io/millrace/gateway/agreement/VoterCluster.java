package io.millrace.gateway.agreement;

import io.millrace.backend.testkit.ReservedPort;
import io.millrace.kit.async.DaemonThreads;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import reactor.core.publisher.Mono;

/** Three voters in this process, with ports and folders of their own, and a member that does not vote. */
final class VoterCluster implements AutoCloseable {
    static final List<String> VOTERS = List.of("gw-0", "gw-1", "gw-2");
    static final String CLIENT = "gw-3";

    private static final Set<String> MEMBERS = Set.of("gw-0", "gw-1", "gw-2", CLIENT);
    private static final String SECRET = "correct horse battery staple";

    /** A machine that does something else finds a leader late. */
    private static final Duration LONGEST_CALL = Duration.ofSeconds(40);

    private final Path folder;
    private final int snapshotEvery;
    private final String name = "cluster-" + UUID.randomUUID();
    private final Map<String, ReservedPort> ports = new TreeMap<>();
    private final Map<String, RatisAgreedStore> stores = new ConcurrentHashMap<>();

    VoterCluster(Path folder, int snapshotEvery) throws IOException {
        this.folder = folder;
        this.snapshotEvery = snapshotEvery;
        for (String voter : VOTERS) {
            ports.put(voter, new ReservedPort());
        }
    }

    /** Opens all voters and the client. */
    void openAll() throws IOException {
        for (String voter : VOTERS) {
            open(voter);
        }
        open(CLIENT);
    }

    RatisAgreedStore open(String node) throws IOException {
        RatisAgreedStore store = RatisAgreedStore.open(place(node), this::state, LONGEST_CALL, snapshotEvery);
        stores.put(node, store);
        return store;
    }

    /** Opens the client's store with something else, which does not ask for long. */
    RatisAgreedStore openStranger(UnaryOperator<AgreementPlace> other) throws IOException {
        return RatisAgreedStore.open(other.apply(place(CLIENT)), this::state, Duration.ofSeconds(1), snapshotEvery);
    }

    @SuppressWarnings("AddressSelection") // an address, of which there is one
    private AgreementPlace place(String node) {
        Map<String, String> voters = new TreeMap<>();
        ports.forEach((voter, port) -> voters.put(voter, "127.0.0.1:" + port.number()));
        int port = ports.containsKey(node)
                ? Objects.requireNonNull(ports.get(node)).number()
                : 0;
        return new AgreementPlace(
                name, node, voters, MEMBERS, new InetSocketAddress("127.0.0.1", port), SECRET, folderOf(node));
    }

    RatisAgreedStore store(String node) {
        return Objects.requireNonNull(stores.get(node), node);
    }

    /** Returns what a voter says; empty while it is closed. */
    Mono<VoterState> state(String voter) {
        return Mono.justOrEmpty(stores.get(voter)).flatMap(RatisAgreedStore::state);
    }

    boolean isIn(String voter, VoterState state) {
        return state(voter).blockOptional().filter(state::equals).isPresent();
    }

    Path folderOf(String node) {
        return folder.resolve(node);
    }

    void close(String node) {
        RatisAgreedStore store = stores.remove(node);
        if (store != null) {
            store.close();
        }
    }

    /** Deletes all that a closed voter knew. */
    void empty(String voter) throws IOException {
        List<Path> paths;
        try (Stream<Path> all = Files.walk(folderOf(voter))) {
            paths = all.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : paths) {
            Files.delete(path);
        }
    }

    /** Closes all stores at once, since each waits for some seconds. */
    void closeAll() {
        CompletableFuture.allOf(stores.keySet().stream()
                        .map(node -> CompletableFuture.runAsync(
                                () -> close(node), closing -> DaemonThreads.start("close-" + node, closing)))
                        .toArray(CompletableFuture<?>[]::new))
                .join();
    }

    @Override
    public void close() throws IOException {
        try {
            closeAll();
        } finally {
            for (ReservedPort port : ports.values()) {
                port.close();
            }
        }
    }
}
