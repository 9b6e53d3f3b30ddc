package io.millrace.auth.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/** Tests that an acknowledged revocation is in the file, and what of the file is believed. */
@Timeout(120)
class RevocationLogTest {
    private static final Instant NOW = Instant.parse("2026-11-20T12:00:00Z");
    private static final Duration SOON = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    @Test
    void revocationsAreReadAgain() throws Exception {
        try (RevocationLog log = open(NOW)) {
            revoke(log, RevocationTarget.IDENTITY, "alice");
            revoke(log, RevocationTarget.ROLE, "trainer");
            log.revoke(RevocationTarget.ALL, "", Optional.of(NOW.minusSeconds(5)))
                    .block(SOON);
            revoke(log, RevocationTarget.SESSION, "trainer/pod-1");
            assertThat(log.lift(RevocationTarget.ROLE, "trainer").block(SOON)).isTrue();
            assertThat(log.lift(RevocationTarget.ROLE, "trainer").block(SOON)).isFalse();
            // Not closed: what is acknowledged is in the file.
            assertThat(read()).containsExactlyElementsOf(log.all());
        }
        assertThat(read())
                .containsExactly(
                        new Revocation(RevocationTarget.SESSION, "assumed-role/trainer/pod-1", NOW),
                        new Revocation(RevocationTarget.IDENTITY, "alice", NOW),
                        new Revocation(RevocationTarget.ALL, "", NOW.minusSeconds(5)));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
                .isEqualTo("rw-------");
    }

    @Test
    void whatKeysHaveMadeStaysRevoked() throws Exception {
        try (RevocationLog log = open(NOW)) {
            revoke(log, RevocationTarget.IDENTITY, "alice");
            log.lift(RevocationTarget.IDENTITY, "alice").block(SOON);
        }
        assertThat(read()).containsExactly(new Revocation(RevocationTarget.SESSIONS_OF, "alice", NOW));
    }

    @Test
    void laterTimeStands() throws Exception {
        try (RevocationLog log = open(NOW)) {
            revoke(log, RevocationTarget.ALL, "");
            log.revoke(RevocationTarget.ALL, "", Optional.of(NOW.minusSeconds(5)))
                    .block(SOON);
            assertThat(log.all()).containsExactly(new Revocation(RevocationTarget.ALL, "", NOW));
        }
        assertThat(read()).containsExactly(new Revocation(RevocationTarget.ALL, "", NOW));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rev", "revoked\tROLE\treader\t2026-11-20T12:00:00Z", "\0\0\0\0\0\0\0\0"})
    void unfinishedLineIsNoRevocation(String torn) throws Exception {
        try (RevocationLog log = open(NOW)) {
            revoke(log, RevocationTarget.IDENTITY, "alice");
        }
        Files.writeString(file(), torn, StandardOpenOption.APPEND);
        try (RevocationLog log = open(NOW)) {
            assertThat(log.all()).hasSize(1);
            revoke(log, RevocationTarget.ROLE, "trainer");
        }
        assertThat(read()).hasSize(2);
    }

    @Test
    void damagedLineStopsTheStart() throws Exception {
        try (RevocationLog log = open(NOW)) {
            revoke(log, RevocationTarget.IDENTITY, "alice");
            revoke(log, RevocationTarget.IDENTITY, "bob");
        }
        Files.writeString(file(), Files.readString(file()).replace("alice", "alicf"));
        assertThatThrownBy(() -> open(NOW)).isInstanceOf(IOException.class).hasMessageContaining("line 2 is damaged");
    }

    @Test
    void expiredSessionsAreForgotten() throws Exception {
        try (RevocationLog log = open(NOW)) {
            revoke(log, RevocationTarget.SESSION, "ASIAAAAAAAAAAAAAAAAA");
            revoke(log, RevocationTarget.ROLE, "trainer");
        }
        try (RevocationLog log = open(NOW.plus(Duration.ofHours(13)))) {
            assertThat(log.all()).extracting(Revocation::target).containsExactly(RevocationTarget.ROLE);
        }
        assertThat(Files.readString(file())).doesNotContain("ASIA");
    }

    @Test
    void impossibleRequestsAreRefused() throws Exception {
        try (RevocationLog log = open(NOW)) {
            for (String name : new String[] {"", "a b", "a\nb", "\u00e9", "a".repeat(201)}) {
                assertThatThrownBy(() -> revoke(log, RevocationTarget.IDENTITY, name))
                        .isInstanceOf(IllegalArgumentException.class);
            }
            assertThatThrownBy(() -> revoke(log, RevocationTarget.ALL, "x"))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> log.revoke(RevocationTarget.ALL, "", Optional.of(NOW.plusSeconds(1))))
                    .hasMessageContaining("future");
            assertThatThrownBy(() -> log.revoke(RevocationTarget.IDENTITY, "alice", Optional.of(NOW)))
                    .hasMessageContaining("before");
            assertThat(log.all()).isEmpty();
        }
    }

    @Test
    void numberIsLimited() throws Exception {
        try (RevocationLog log = open(NOW)) {
            log.merge(sessions(RevocationLog.MOST)).block(SOON);
            assertThatThrownBy(() -> revoke(log, RevocationTarget.ROLE, "trainer"))
                    .isInstanceOf(IllegalStateException.class);
            revoke(log, RevocationTarget.SESSION, "s7");
        }
    }

    @Test
    void sessionThatItsOwnerEndedStaysEnded() throws Exception {
        try (RevocationLog log = open(NOW)) {
            log.end("MRWBAAAAAAAAAAAAAAAA").block(SOON);
        }
        assertThat(read()).extracting(Revocation::name).containsExactly("MRWBAAAAAAAAAAAAAAAA");
    }

    @Test
    void ownersLeaveRoomForOperators() throws Exception {
        AtomicReference<Instant> now = new AtomicReference<>(NOW);
        try (RevocationLog log = RevocationLog.open(folder, now::get)) {
            log.merge(sessions(RevocationLog.MOST_WITH_OWNERS)).block(SOON);
            assertThatThrownBy(() -> log.end("another")).isInstanceOf(IllegalStateException.class);
            revoke(log, RevocationTarget.ROLE, "trainer");

            now.set(NOW.plus(Duration.ofHours(13)));
            log.end("another").block(SOON);
            assertThat(log.all()).extracting(Revocation::name).containsExactly("another", "trainer");
        }
    }

    /** It is a decision of its own, whatever time it names. */
    @Test
    void liftedIsRevokedAgainFromAnEarlierTime() throws Exception {
        Revocation earlier = new Revocation(RevocationTarget.ALL, "", NOW.minusSeconds(5));
        try (RevocationLog log = open(NOW)) {
            revoke(log, RevocationTarget.ALL, "");
            log.lift(RevocationTarget.ALL, "").block(SOON);
            log.revoke(RevocationTarget.ALL, "", Optional.of(earlier.before())).block(SOON);
            assertThat(log.all()).containsExactly(earlier);
        }
        assertThat(read()).containsExactly(earlier);
    }

    /** Their times are those before which credentials are refused, which may go back. */
    @Test
    void linesWithoutATimeOfTheirOwnAreInTheOrderOfTheirDecisions() throws Exception {
        try (RevocationLog log = open(NOW)) {
            revoke(log, RevocationTarget.ALL, "");
            log.lift(RevocationTarget.ALL, "").block(SOON);
        }
        String earlier;
        try (RevocationLog other = RevocationLog.open(
                Files.createDirectory(folder.resolve("other")), InstantSource.fixed(NOW.minusSeconds(5)))) {
            revoke(other, RevocationTarget.ALL, "");
            earlier = Files.readAllLines(folder.resolve("other/revocations")).get(1);
        }

        Files.writeString(file(), earlier + '\n', StandardOpenOption.APPEND);

        assertThat(read()).containsExactly(new Revocation(RevocationTarget.ALL, "", NOW.minusSeconds(5)));
    }

    @Test
    void decisionsOfAnotherGatewayHoldInAnyOrderAndOutlastAStart() throws Exception {
        List<RevocationDecision> decisions = List.of(
                decision("a", Optional.of(NOW.minusSeconds(9)), NOW),
                decision("a", Optional.empty(), NOW.plusNanos(1)),
                decision("b", Optional.empty(), NOW),
                decision("b", Optional.of(NOW), NOW),
                decision("c", Optional.of(NOW.minusSeconds(9)), NOW),
                decision("c", Optional.of(NOW), NOW.minusSeconds(5)));
        List<RevocationDecision> reversed = new ArrayList<>(decisions);
        Collections.reverse(reversed);
        List<Revocation> inForce = List.of(
                new Revocation(RevocationTarget.ROLE, "b", NOW), new Revocation(RevocationTarget.ROLE, "c", NOW));
        try (RevocationLog log = open(NOW);
                RevocationLog other =
                        RevocationLog.open(Files.createDirectory(folder.resolve("other")), InstantSource.fixed(NOW))) {
            log.merge(decisions).block(SOON);
            assertThat(other.digest()).isNotEqualTo(log.digest());
            for (RevocationDecision one : reversed) {
                other.merge(List.of(one)).block(SOON);
            }
            log.merge(reversed).block(SOON);
            assertThat(log.all()).isEqualTo(inForce);
            assertThat(other.all()).isEqualTo(inForce);
            assertThat(other.digest()).isEqualTo(log.digest());
            assertThat(other.after("", 9)).isEqualTo(log.after("", 9)).hasSize(3);
            assertThat(log.after(log.after("", 2).get(1).key(), 9))
                    .extracting(RevocationDecision::name)
                    .containsExactly("c");
            try (RevocationLog again = open(NOW)) {
                assertThat(again.all()).isEqualTo(inForce);
                assertThat(again.digest()).isEqualTo(log.digest());
            }
        }
    }

    /** The clock of the gateway that revokes is behind that of the one which lifts. */
    @Test
    void liftingDoesNotConcernARevocationThatItDidNotKnow() throws Exception {
        try (RevocationLog log = open(NOW);
                RevocationLog other = RevocationLog.open(
                        Files.createDirectory(folder.resolve("other")), InstantSource.fixed(NOW.minusSeconds(600)))) {
            revoke(log, RevocationTarget.ROLE, "trainer");
            other.merge(log.after("", 9)).block(SOON);
            revoke(other, RevocationTarget.ROLE, "trainer");
            log.lift(RevocationTarget.ROLE, "trainer").block(SOON);
            assertThat(log.all()).isEmpty();

            log.merge(other.after("", 9)).block(SOON);
            other.merge(log.after("", 9)).block(SOON);

            assertThat(log.all()).hasSize(1).isEqualTo(other.all());
            other.lift(RevocationTarget.ROLE, "trainer").block(SOON);
            log.merge(other.after("", 9)).block(SOON);
            assertThat(log.all()).isEmpty();
        }
    }

    @Test
    void decisionIsAnnouncedAlsoIfItCannotBeStored() throws Exception {
        List<RevocationDecision> announced = new ArrayList<>();
        RevocationLog log = open(NOW);
        log.announceBy(made -> Mono.fromRunnable(() -> announced.addAll(made)));
        revoke(log, RevocationTarget.IDENTITY, "alice");
        log.lift(RevocationTarget.IDENTITY, "alice").block(SOON);
        assertThat(announced)
                .extracting(RevocationDecision::target)
                .containsExactly(RevocationTarget.IDENTITY, RevocationTarget.SESSIONS_OF, RevocationTarget.IDENTITY);
        assertThat(announced.get(2).before()).isEmpty();
        log.close();

        assertThatThrownBy(() -> revoke(log, RevocationTarget.ROLE, "trainer")).hasMessageContaining("stopping");

        assertThat(announced).hasSize(4);
    }

    @Test
    void onlyNewDecisionsOfAnotherGatewayStopJobs() throws Exception {
        AtomicInteger merged = new AtomicInteger();
        try (RevocationLog log = open(NOW)) {
            log.onMerge(merged::incrementAndGet);
            RevocationDecision decision = decision("trainer", Optional.of(NOW), NOW);
            log.merge(List.of(decision)).block(SOON);
            log.merge(List.of(decision)).block(SOON);
            log.merge(List.of(new RevocationDecision(
                            RevocationTarget.SESSION, "ASIA", Optional.of(NOW.minus(Duration.ofHours(13))), NOW)))
                    .block(SOON);

            assertThat(merged).hasValue(1);
            assertThat(log.all()).hasSize(1);
        }
    }

    @Test
    void numberOfLiftedIsLimited() throws Exception {
        try (RevocationLog log = open(NOW)) {
            log.merge(IntStream.rangeClosed(0, RevocationLog.MOST)
                            .mapToObj(i -> decision("role-" + i, Optional.empty(), NOW.plusSeconds(i)))
                            .toList())
                    .block(SOON);

            assertThat(log.after("", Integer.MAX_VALUE))
                    .hasSize(RevocationLog.MOST)
                    .extracting(RevocationDecision::name)
                    .doesNotContain("role-0");
        }
    }

    private static List<RevocationDecision> sessions(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> new RevocationDecision(RevocationTarget.SESSION, "s" + i, Optional.of(NOW), NOW))
                .toList();
    }

    private static RevocationDecision decision(String role, Optional<Instant> before, Instant at) {
        return new RevocationDecision(RevocationTarget.ROLE, role, before, at);
    }

    private static void revoke(RevocationLog log, RevocationTarget target, String name) {
        log.revoke(target, name, Optional.empty()).block(SOON);
    }

    private Iterable<Revocation> read() throws Exception {
        try (RevocationLog again = open(NOW)) {
            return again.all();
        }
    }

    private Path file() {
        return folder.resolve("revocations");
    }

    private RevocationLog open(Instant now) throws IOException {
        return RevocationLog.open(folder, InstantSource.fixed(now));
    }
}
