package io.millrace.gateway.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.millrace.auth.session.Revocation;
import io.millrace.auth.session.RevocationDecision;
import io.millrace.auth.session.RevocationTarget;
import io.millrace.backend.http.BackendTlsSettings;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.Polling;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.gateway.testkit.TestCertificate;
import io.millrace.kit.async.DaemonThreads;
import io.millrace.kit.file.DurableFiles;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;

/** Members over real sockets and files: what they announce, miss, keep over a kill, and why they do not agree. */
class ClusterMemberTest {
    private static final BackendBucket BUCKET = new BackendBucket("aws", "bucket");
    private static final LiveCluster.Options USUAL = LiveCluster.Options.usual();
    private static final Duration SHORT = Duration.ofSeconds(1);

    @TempDir
    Path folder;

    private final RecordingCache cache0 = new RecordingCache();
    private final RecordingCache cache1 = new RecordingCache();
    private final RecordingCache cache2 = new RecordingCache();
    private LiveCluster cluster;

    @BeforeEach
    void prepare() throws IOException {
        cluster = new LiveCluster(folder);
    }

    @AfterEach
    void stop() throws IOException {
        cluster.close();
    }

    @Test
    void writeIsAnnouncedToAllMembers() throws IOException {
        List<ClusterMember> members = three();

        write(members.get(0), id("key")).join();

        assertThat(List.of(cache1, cache2))
                .allSatisfy(cache ->
                        assertThat(cache.applied).containsExactly(new Announcement.Written(List.of(id("key")), true)));
        assertThat(cache0.applied).isEmpty();
        assertThat(members.get(0).status().members())
                .extracting(ClusterStatus.Member::name)
                .containsExactly("gw-1", "gw-2");
        assertThat(members.get(0).status().members()).allSatisfy(member -> {
            assertThat(member.confirmed()).isTrue();
            assertThat(member.listed()).contains(true);
            assertThat(member.session() && member.leaseHeld() && member.announcing())
                    .isTrue();
            assertThat(member.unacknowledged()).isZero();
            assertThat(member.missed()).isZero();
            assertThat(member.granted()).isPresent();
            assertThat(member.silence()).isPresent();
            assertThat(member.paused()).isZero();
            assertThat(member.problem()).isEmpty();
        });
    }

    @Test
    void memberDoesWhatAnotherOneCallsFor() throws IOException {
        List<ClusterMember> members = two(USUAL, USUAL);
        byte[] call = "call".getBytes(UTF_8);
        members.get(1).serveCalls(asked -> Mono.just((new String(asked, UTF_8) + " done").getBytes(UTF_8)));

        assertThat(members.get(0).call("gw-1", call).block()).asString(UTF_8).isEqualTo("call done");
        assertThatThrownBy(() -> members.get(1).call("gw-0", call).block())
                .hasMessageContaining("gw-0 stops, or has too much to do");
        assertThatThrownBy(() -> members.get(0).call("gw-9", call).block())
                .hasMessageContaining("gw-9 is not on the list of members");
        cluster.kill("gw-1");
        // Whoever may list a bucket reads this: the address is in the log and for operators.
        assertThatThrownBy(() -> members.get(0).call("gw-1", call).block())
                .hasMessageContaining("gw-1")
                .hasMessageNotContaining("127.0.0.1");
        Polling.until(
                "it is missed",
                () -> members.get(0).status().members().stream()
                        .anyMatch(member -> member.problem().isPresent()));
        assertThatThrownBy(() -> members.get(0).call("gw-1", call).block())
                .hasMessageContaining("gw-1 did not respond when it was asked last")
                .hasMessageNotContaining("127.0.0.1");
    }

    @Test
    void tenThousandLongKeysAreAnnouncedInSeveralMessages() throws IOException {
        LiveCluster.Options patient = USUAL.in(place -> within(place, Duration.ofSeconds(10)));
        List<ClusterMember> members = two(patient, patient);
        List<ObjectId> ids = IntStream.range(0, 10_000)
                .mapToObj(i -> id("%05d".formatted(i) + "k".repeat(1000)))
                .toList();

        write(members.get(0), ids).join();
        Polling.until(
                "all are acknowledged",
                () -> members.get(0).status().members().get(0).unacknowledged() == 0);

        Set<ObjectId> applied = new HashSet<>();
        for (Announcement announcement : cache1.applied) {
            applied.addAll(((Announcement.Written) announcement).ids());
        }
        assertThat(applied).hasSameSizeAs(ids).containsAll(ids);
    }

    @Test
    void whatAKilledMemberMissedIsInvalidatedByTheNextProcess() throws IOException {
        List<ClusterMember> members = three();
        write(members.get(0), id("key")).join();
        cluster.kill("gw-2");
        write(members.get(0), id("key")).join();
        cluster.kill("gw-0");
        RecordingCache next2 = new RecordingCache();
        RecordingCache next0 = new RecordingCache();

        ClusterMember again0 = cluster.start("gw-0", USUAL, next0);
        ClusterMember again2 = cluster.start("gw-2", USUAL, next2);
        untilHeld(again0, members.get(1), again2);

        assertThat(next2.invalidated).isNotEmpty().containsOnly(BUCKET);
        // It may still hold the lease of the killed process.
        Polling.until("what that wrote is suspected by all", () -> cache1.invalidated.contains(BUCKET));
        write(again2, id("key")).join();
        assertThat(next0.applied).hasSize(1);
    }

    @Test
    void memberWithoutItsFilesHasMissedEverythingAndKnowsOfNothing() throws IOException {
        List<ClusterMember> members = two(USUAL, USUAL);
        cache0.invalidated.clear();
        cluster.kill("gw-1");
        try (Stream<Path> files = Files.list(cluster.folderOf("gw-1"))) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }

        ClusterMember again = cluster.start("gw-1", USUAL, new RecordingCache());
        Polling.until("the other has learned of it", () -> !cache0.invalidated.isEmpty());
        untilHeld(members.get(0), again);

        assertThat(cache0.invalidated).containsOnly(BackendBucket.EVERY);
    }

    @Test
    void memberThatLeftInOrderMakesNobodyInvalidate() throws IOException {
        List<ClusterMember> members = two(USUAL, USUAL);
        write(members.get(1), id("key")).join();
        cache0.invalidated.clear();
        members.get(1).drain().block();
        members.get(1).leave().block();
        cluster.kill("gw-1");

        members.get(0).reload(List.of()).block();

        assertThat(cache0.invalidated).isEmpty();
        assertThat(members.get(0).isReady()).isTrue();
        write(members.get(0), id("key")).join();
    }

    @Test
    void memberThatWasKilledMakesOthersInvalidateEverythingWhenItIsTakenOff() throws IOException {
        List<ClusterMember> members = two(USUAL, USUAL);
        cache0.invalidated.clear();
        cluster.kill("gw-1");

        members.get(0).reload(List.of()).block();

        assertThat(cache0.invalidated).containsExactly(BackendBucket.EVERY);
    }

    /** A slow disk would otherwise find no end: each repetition would begin anew. */
    @Test
    void announcementThatTheSenderNoLongerWaitsForIsAppliedOnce() throws IOException {
        LiveCluster.Options patient = USUAL.in(place -> within(place, Duration.ofSeconds(10)));
        List<ClusterMember> members = two(patient, patient);
        Sinks.Empty<Void> disk = Sinks.empty();
        cache1.disk = disk.asMono();

        CompletableFuture<Void> written = write(members.get(0), id("key"));
        Polling.until("it is being applied", () -> cache1.begun.get() == 1);
        // Longer than the sender waits for a response.
        Polling.holdsFor(Duration.ofMillis(2500), () -> cache1.begun.get() == 1);
        disk.tryEmitEmpty();
        written.join();

        assertThat(cache1.applied).hasSize(1);
        assertThat(cache1.begun).hasValue(1);
    }

    @Test
    void unlistedMemberIsToldSo() throws IOException {
        cluster = new LiveCluster(folder, "gw-0", "gw-1");
        cluster.start("gw-0", hasty(USUAL.in(place -> with(place, "prod", LiveCluster.SECRET, List.of()))), cache0);
        ClusterMember unlisted = cluster.start("gw-1", USUAL.in(ClusterMemberTest::hasty), cache1);

        Polling.until("it is told", () -> member(unlisted).listed().equals(Optional.of(false)));

        assertThat(unlisted.isReady()).isFalse();
        StepVerifier.create(unlisted.replication().beginning("aws", new BucketName("bucket")))
                .verifyError();
    }

    static Stream<Arguments> strangers() {
        return Stream.of(
                Arguments.of(
                        USUAL.in(place -> with(place, "prod", "another secret of it", place.members())),
                        PeerRefusal.Reason.OTHER_SECRET),
                Arguments.of(
                        USUAL.in(place -> with(place, "test", LiveCluster.SECRET, place.members())),
                        PeerRefusal.Reason.OTHER_CLUSTER),
                Arguments.of(USUAL.at(() -> Instant.now().plus(Duration.ofMinutes(20))), PeerRefusal.Reason.OTHER_TIME),
                Arguments.of(
                        USUAL.at(() -> Instant.now().minus(Duration.ofMinutes(20))), PeerRefusal.Reason.OTHER_TIME),
                Arguments.of(USUAL.storing(Map.of("aws", "s3 https://b", "new", "x")), PeerRefusal.Reason.OTHER_STORE));
    }

    @ParameterizedTest
    @MethodSource("strangers")
    void membersThatDoNotAgreeAreToldWhy(LiveCluster.Options options, PeerRefusal.Reason reason) throws IOException {
        cluster = new LiveCluster(folder, "gw-0", "gw-1");
        LiveCluster.Options usual = USUAL.storing(Map.of("aws", "s3 https://a", "old", "x"));
        ClusterMember one = cluster.start("gw-0", hasty(usual), cache0);
        ClusterMember other = cluster.start("gw-1", hasty(options), cache1);

        for (ClusterMember member : List.of(one, other)) {
            Polling.until("it is told why", () -> member(member).refusal().equals(Optional.of(reason)));
            assertThat(member(member).problem().orElseThrow()).contains(reason.text());
            assertThat(member.isReady()).isFalse();
            assertThat(member.status().leaseHeld()).isFalse();
        }
    }

    /** The one with the longer lease would use its cache for longer than a write at the other one waits. */
    @Test
    void membersWithDifferentLeasesGetNone() throws IOException {
        cluster = new LiveCluster(folder, "gw-0", "gw-1");
        ClusterMember one = cluster.start("gw-0", hasty(USUAL), cache0);
        ClusterMember other = cluster.start("gw-1", USUAL, cache1);

        for (ClusterMember member : List.of(one, other)) {
            Polling.until(
                    "it is told why",
                    () -> member(member).refusal().equals(Optional.of(PeerRefusal.Reason.OTHER_LEASE)));
            assertThat(member.status().leaseHeld()).isFalse();
            assertThat(member.isReady()).isFalse();
        }
        assertThat(member(one).problem().orElseThrow())
                .contains("gw-1 has another cluster.lease")
                .endsWith("(3000 ms there, 1000 ms at the asking member)");
    }

    /** The other one still holds a lease of the process before. */
    @Test
    void killedMemberWithAShorterLeaseWaitsForTheLongerOne() throws IOException {
        List<ClusterMember> members = two(USUAL, USUAL);
        cluster.kill("gw-0");
        ClusterMember next = cluster.start("gw-0", hasty(USUAL), new RecordingCache());
        Path record = cluster.folderOf("gw-0").resolve("lease.json");
        assertThat(record).content().contains(":" + LiveCluster.LEASE.toMillis());

        write(next, id("key")).join();

        assertThat(members.get(1).status().leaseHeld()).isFalse();
        Polling.until(
                "the longer lease is forgotten", () -> Files.readString(record).contains(":" + SHORT.toMillis()));
    }

    @Test
    void clocksTenMinutesApartAreOfNoConcern() throws IOException {
        List<ClusterMember> members = two(USUAL, USUAL.at(() -> Instant.now().plus(Duration.ofMinutes(10))));

        write(members.get(0), id("key")).join();

        assertThat(cache1.applied).hasSize(1);
    }

    @Test
    void addressOfAnotherMemberIsTold() throws IOException {
        cluster = new LiveCluster(folder, "gw-0", "gw-1", "gw-2");
        ClusterMember misled = cluster.start(
                "gw-0",
                USUAL.in(place -> hasty(with(
                        place,
                        "prod",
                        LiveCluster.SECRET,
                        List.of(new PeerAddress(
                                "gw-1", "127.0.0.1", cluster.relay("gw-2").port()))))),
                cache0);
        cluster.start("gw-2", USUAL, cache2);

        Polling.until(
                "it is told", () -> member(misled).refusal().equals(Optional.of(PeerRefusal.Reason.OTHER_MEMBER)));

        assertThat(member(misled).problem().orElseThrow()).contains("gw-2 is there");
    }

    @Test
    void hostToListenOnMustHaveAnAddress() throws IOException {
        cluster = new LiveCluster(folder, "gw-0", "gw-1");
        cluster.open(
                "gw-0",
                USUAL.in(place -> new ClusterPlace(
                        place.cluster(),
                        place.node(),
                        place.members(),
                        InetSocketAddress.createUnresolved("gw-0.example.org", 0),
                        place.secret(),
                        place.lease())));

        assertThatThrownBy(() -> cluster.start("gw-0", cache0))
                .isInstanceOf(IOException.class)
                .hasMessage("cluster.listen: this machine knows no address of gw-0.example.org");
    }

    /** What it has still to write then is refused by its own thread: no disk is at fault. */
    @Test
    void memberThatIsClosedWhileItStartsBlamesNoDisk() throws IOException, InterruptedException {
        cluster = new LiveCluster(folder, "gw-0", "gw-1");
        cluster.open("gw-0", USUAL);
        Path slow = DurableFiles.freshBeside(cluster.folderOf("gw-0").resolve("members.json"));
        assertThat(new ProcessBuilder("mkfifo", slow.toString()).start().waitFor())
                .isZero();
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        Logger log = (Logger) LoggerFactory.getLogger(ClusterMember.class.getPackageName());
        lines.start();
        log.addAppender(lines);
        try {
            cluster.start("gw-0", cache0);
            Thread closing = DaemonThreads.start("closing", () -> cluster.kill("gw-0"));
            Polling.until(
                    "it waits for its files",
                    () -> Stream.of(closing.getStackTrace())
                            .anyMatch(frame -> frame.getMethodName().equals("awaitTermination")));
            try (InputStream disk = Files.newInputStream(slow)) {
                disk.readAllBytes();
            }
            closing.join();
        } finally {
            log.detachAppender(lines);
        }

        assertThat(lines.list)
                .filteredOn(line -> line.getLevel().isGreaterOrEqual(Level.WARN))
                .extracting(ILoggingEvent::getFormattedMessage)
                .isEmpty();
    }

    @Test
    void membersSpeakTls() throws IOException {
        TestCertificate certificate = TestCertificate.create("members");
        certificate.write(folder);
        PeerTls tls = new PeerTls(
                certificate.context(),
                new BackendTlsSettings(
                        Optional.of(folder.resolve("certificate.pem")), false, Optional.empty(), Optional.empty()));

        List<ClusterMember> members = two(USUAL.over(tls), USUAL.over(tls));
        write(members.get(0), id("key")).join();

        assertThat(cache1.applied).hasSize(1);
    }

    @Test
    void revocationHoldsAtAllMembersBeforeItIsAcknowledged() throws IOException {
        three();

        revoke("gw-0", "trainer");
        assertThat(List.of("gw-1", "gw-2"))
                .allSatisfy(name -> assertThat(revocations(name)).hasSize(1).isEqualTo(revocations("gw-0")));
        cluster.revocations("gw-2").lift(RevocationTarget.ROLE, "trainer").block();

        assertThat(List.of("gw-0", "gw-1"))
                .allSatisfy(name -> assertThat(revocations(name)).isEmpty());
    }

    /** It could serve before, but holds no lease: a gateway that starts waits for that. */
    @Test
    void memberThatWasAwayHasWhatItMissedBeforeItsLease() throws IOException {
        List<ClusterMember> members = two(USUAL, USUAL);
        revoke("gw-0", "before");
        cluster.kill("gw-1");
        int more = RevocationPage.MOST + 1;
        cluster.revocations("gw-0")
                .merge(IntStream.range(0, more)
                        .mapToObj(i -> new RevocationDecision(
                                RevocationTarget.ROLE, "role-" + i, Optional.of(Instant.now()), Instant.now()))
                        .toList())
                .block();
        cluster.revocations("gw-0").lift(RevocationTarget.ROLE, "before").block();

        ClusterMember again = cluster.open("gw-1", USUAL);
        assertThat(revocations("gw-1")).hasSize(1);
        cluster.start("gw-1", new RecordingCache());
        Polling.until("it has its lease", () -> again.status().leaseHeld());

        assertThat(revocations("gw-1")).hasSize(more).isEqualTo(revocations("gw-0"));
        untilHeld(members.get(0), again);
    }

    private List<Revocation> revocations(String name) {
        return cluster.revocations(name).all();
    }

    private void revoke(String name, String role) {
        cluster.revocations(name)
                .revoke(RevocationTarget.ROLE, role, Optional.empty())
                .block();
    }

    private List<ClusterMember> two(LiveCluster.Options first, LiveCluster.Options second) throws IOException {
        cluster = new LiveCluster(folder, "gw-0", "gw-1");
        ClusterMember one = cluster.start("gw-0", first, cache0);
        ClusterMember other = cluster.start("gw-1", second, cache1);
        untilHeld(one, other);
        return List.of(one, other);
    }

    private List<ClusterMember> three() throws IOException {
        cluster = new LiveCluster(folder, "gw-0", "gw-1", "gw-2");
        List<ClusterMember> members = List.of(
                cluster.start("gw-0", USUAL, cache0),
                cluster.start("gw-1", USUAL, cache1),
                cluster.start("gw-2", USUAL, cache2));
        untilHeld(members.toArray(ClusterMember[]::new));
        return members;
    }

    /** Waits until all hold their leases, and are ready. */
    private static void untilHeld(ClusterMember... members) {
        BooleanSupplier held = () ->
                Stream.of(members).map(ClusterMember::status).allMatch(status -> status.ready() && status.leaseHeld());
        Polling.until("all hold their leases", held::getAsBoolean);
    }

    private static ClusterStatus.Member member(ClusterMember of) {
        return of.status().members().get(0);
    }

    private static LiveCluster.Options hasty(LiveCluster.Options options) {
        return options.in(place -> hasty(options.place().apply(place)));
    }

    private static ClusterPlace hasty(ClusterPlace place) {
        return within(place, SHORT);
    }

    private static ClusterPlace within(ClusterPlace place, Duration lease) {
        return new ClusterPlace(place.cluster(), place.node(), place.members(), place.listen(), place.secret(), lease);
    }

    private static ClusterPlace with(ClusterPlace place, String name, String secret, List<PeerAddress> members) {
        return new ClusterPlace(name, place.node(), members, place.listen(), secret, place.lease());
    }

    private static CompletableFuture<Void> write(ClusterMember member, ObjectId id) {
        return write(member, List.of(id));
    }

    /** A write that its backend has acknowledged. */
    private static CompletableFuture<Void> write(ClusterMember member, List<ObjectId> ids) {
        return member.replication()
                .beginning("aws", new BucketName("bucket"))
                .then(member.replication().written(ids, true))
                .toFuture();
    }

    private static ObjectId id(String key) {
        return ObjectId.current("aws", new ObjectRef(new BucketName("bucket"), new ObjectKey(key)));
    }
}
