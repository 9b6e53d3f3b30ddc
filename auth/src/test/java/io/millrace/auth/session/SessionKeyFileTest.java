package io.millrace.auth.session;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.millrace.auth.IdentityRegistry;
import io.millrace.auth.IdentitySettings;
import io.millrace.auth.policy.AllowRule;
import io.millrace.config.Secret;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/**
 * Tests that the keys of session tokens rotate without ending a session, for one gateway and for several that share
 * their file.
 */
@Timeout(60)
class SessionKeyFileTest {
    private static final Duration LONGEST = Duration.ofHours(12);
    private static final IdentityRegistry TRAINER = IdentityRegistry.of(List.of(new IdentitySettings(
            "trainer", "TRAINER", Secret.of("trainer-secret"), List.of(AllowRule.parse("read:*")))));

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private final List<Node> nodes = new ArrayList<>();
    private volatile Instant now = Instant.parse("2026-11-27T10:00:00Z");

    @AfterEach
    void close() {
        nodes.forEach(node -> node.keys.close());
    }

    @Test
    void keyIsRotatedAndRemovedAfterItsSessions() throws Exception {
        Node node = node("a", Optional.empty());
        String first = key(node.issue());
        now = now.plus(Duration.ofDays(30)).minusSeconds(1);
        node.keys.refresh();
        assertThat(lines("a")).hasSize(1);

        now = now.plusSeconds(1);
        node.keys.refresh();
        assertThat(lines("a")).hasSize(2);
        assertThat(key(node.issue())).isEqualTo(first);
        now = now.plus(SessionKeyFile.LEAD).minusSeconds(1);
        node.keys.refresh();
        SessionCredentials last = node.issue();
        assertThat(key(last)).isEqualTo(first);

        now = now.plusSeconds(1);
        node.keys.refresh();
        assertThat(key(node.issue())).isNotEqualTo(first);
        now = last.expiresAt();
        node.keys.refresh();
        assertThat(node.accepts(last)).isTrue();
        now = now.plus(SessionKeyFile.DECRYPTS_FOR.minus(LONGEST)).plusSeconds(1);
        node.keys.refresh();
        assertThat(node.accepts(last)).isFalse();
        assertThat(lines("a")).hasSize(1);
    }

    @Test
    void gatewaysThatShareTheFileAcceptEachOthersTokens() throws Exception {
        Node writer = node("a", Duration.ofHours(1));
        Files.createDirectories(folder.resolve("b"));
        Files.createSymbolicLink(folder.resolve("b/session-keys"), Path.of("../a/session-keys"));
        Node linked = node("b", Duration.ofHours(1));
        Deque<SessionCredentials> issued = new ArrayDeque<>();
        for (int minute = 0; minute < 20 * 60; minute++) {
            now = now.plusSeconds(60);
            if (minute % 2 == 0) {
                writer.keys.refresh();
            }
            if (minute % 5 == 0) {
                linked.keys.refresh();
            }
            SessionCredentials ofWriter = writer.issue();
            SessionCredentials ofLinked = linked.issue();
            assertThat(linked.accepts(ofWriter)).as("minute %d", minute).isTrue();
            assertThat(writer.accepts(ofLinked)).as("minute %d", minute).isTrue();
            issued.add(ofWriter);
            issued.add(ofLinked);
            while (!issued.getFirst().expiresAt().isAfter(now)) {
                SessionCredentials ends = issued.removeFirst();
                assertThat(writer.accepts(ends)).as("minute %d", minute).isTrue();
                assertThat(linked.accepts(ends)).as("minute %d", minute).isTrue();
            }
        }
        assertThat(folder.resolve("b/session-keys")).isSymbolicLink();
        assertThat(lines("a")).hasSizeBetween(11, 15);
    }

    @Test
    void oneOfTwoGatewaysRotates() throws Exception {
        Node first = node("a", Duration.ofHours(1));
        Node second = node("a", Duration.ofHours(1));
        now = now.plus(Duration.ofHours(1));
        CountDownLatch begin = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        for (Node node : List.of(first, second)) {
            Thread thread = new Thread(() -> {
                try {
                    begin.await();
                    node.keys.refresh();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            thread.start();
            threads.add(thread);
        }
        begin.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(lines("a")).hasSize(2);
        assertThat(second.accepts(first.issue())).isTrue();
    }

    @Test
    void keysSurviveARestart() throws Exception {
        Node before = node("a", Duration.ofHours(1));
        now = now.plus(Duration.ofHours(1));
        before.keys.refresh();
        now = now.plus(SessionKeyFile.LEAD);
        before.keys.refresh();
        SessionCredentials session = before.issue();

        Node after = node("a", Duration.ofHours(1));

        assertThat(after.accepts(session)).isTrue();
        assertThat(key(after.issue())).isEqualTo(key(session));
    }

    @Test
    void fileOfAnOperatorIsLeftAloneAndReadAgain() throws Exception {
        Path file = Files.createDirectories(folder.resolve("a")).resolve("session-keys");
        List<String> own = List.of("11".repeat(32), "22".repeat(32));
        Files.write(file, own);
        Node node = node("a", Duration.ZERO);
        now = Instant.now().plus(Duration.ofDays(1000));
        node.keys.refresh();
        assertThat(Files.readAllLines(file)).isEqualTo(own);
        SessionCredentials session = node.issue();
        assertThat(node.accepts(session)).isTrue();

        Files.write(file, List.of("22".repeat(32), "33".repeat(32)));
        node.keys.refresh();

        assertThat(node.accepts(session)).isFalse();
        assertThat(node.accepts(node.issue())).isTrue();
    }

    @Test
    void damagedFileRefusesAStartAndNothingElse() throws Exception {
        Node node = node("a", Duration.ofDays(30));
        SessionCredentials session = node.issue();
        Files.writeString(folder.resolve("a/session-keys"), "11".repeat(32) + " yesterday\n");
        node.keys.refresh();
        assertThat(node.accepts(session)).isTrue();
        assertThatThrownBy(() -> node("a", Duration.ofDays(30)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("64 hexadecimal digits")
                .hasMessageNotContaining("11".repeat(32));
    }

    @Test
    void linkIsFollowedToTheFileThatItLeadsToNow() throws Exception {
        Node node = node("a", Duration.ofHours(1));
        Path link = folder.resolve("a/session-keys");
        Path shared = Files.createDirectories(folder.resolve("shared"));
        Files.move(link, shared.resolve("keys"));
        Files.createSymbolicLink(shared.resolve("current"), Path.of("keys"));
        Files.createSymbolicLink(link, Path.of("../shared/current"));
        now = now.plus(Duration.ofHours(1));
        node.keys.refresh();
        assertThat(link).isSymbolicLink();
        assertThat(shared.resolve("current")).isSymbolicLink();
        assertThat(Files.readAllLines(shared.resolve("keys"))).hasSize(2);
        assertThat(shared.resolve("keys.lock")).exists();

        SessionCredentials before = node.issue();
        Files.writeString(shared.resolve("other"), "11".repeat(32) + ' ' + now + '\n');
        Files.delete(link);
        Files.createSymbolicLink(link, Path.of("../shared/other"));
        node.keys.refresh();
        assertThat(node.accepts(before)).isFalse();
        assertThat(node.accepts(node.issue())).isTrue();
    }

    @Test
    void replacedFileStaysThatOfItsOwner() throws Exception {
        Node node = node("a", Duration.ofHours(1));
        Path file = folder.resolve("a/session-keys");
        assumeTrue(Files.getOwner(file).getName().equals("root"), "only root can give files away");
        UserPrincipal nobody =
                file.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody");
        Files.setOwner(file, nobody);
        now = now.plus(Duration.ofHours(1));

        node.keys.refresh();

        assertThat(lines("a")).hasSize(2);
        assertThat(Files.getOwner(file)).isEqualTo(nobody);
        assertThat(node("a", Duration.ofHours(1)).issue()).as("a start with it").isNotNull();
    }

    @Test
    void failureIsLoggedOnceForAllNamesOfTemporaryFiles() throws Exception {
        // Has room for ".lock", but not for the random number of a temporary file.
        Path file = Files.createDirectories(folder.resolve("shared")).resolve("k".repeat(250));
        Files.writeString(file, "11".repeat(32) + ' ' + now + '\n');
        Files.createSymbolicLink(Files.createDirectories(folder.resolve("a")).resolve("session-keys"), file);
        Node node = node("a", Duration.ofHours(1));
        now = now.plus(Duration.ofHours(1));

        List<String> log = logOf(() -> {
            node.keys.refresh();
            node.keys.refresh();
        });

        assertThat(log).singleElement(as(STRING)).contains("Cannot read or rotate", "those of before stay");
        assertThat(node.accepts(node.issue())).isTrue();
    }

    @Test
    void fileThatIsMountedIsLeftAndTheLogSaysWhatToDo() throws Exception {
        Node node = node("a", Duration.ofHours(1));
        Path file = folder.resolve("a/session-keys");
        Path mounted = Files.copy(file, folder.resolve("mounted"));
        assumeTrue(succeeds("mount", "--bind", mounted.toString(), file.toString()), "needs the right to mount");
        try {
            now = now.plus(Duration.ofHours(1));

            List<String> log = logOf(() -> {
                node.keys.refresh();
                node.keys.refresh();
            });

            assertThat(log).singleElement(as(STRING)).contains("mount its folder and make session-keys a link to it");
            assertThat(folder.resolve("a").toFile().list())
                    .containsExactlyInAnyOrder("session-keys", "session-keys.lock");
        } finally {
            assertThat(succeeds("umount", file.toString())).isTrue();
        }
    }

    @Test
    void keysWithoutATimeAreRotatedOnlyIfTheSettingsSaySo() throws Exception {
        Path file = Files.createDirectories(folder.resolve("a")).resolve("session-keys");
        List<String> own = List.of("11".repeat(32), "22".repeat(32) + " 2026-01-01T00:00:00Z");
        Files.write(file, own);
        Node node = node("a", Optional.empty());
        now = now.plus(Duration.ofDays(1000));
        node.keys.refresh();
        assertThat(Files.readAllLines(file)).isEqualTo(own);

        node.keys.rotateEvery(Optional.of(Duration.ofDays(30)));
        node.keys.refresh();

        assertThat(Files.readAllLines(file)).containsExactly(own.get(0) + ' ' + now, own.get(1));
    }

    @Test
    void keyWithoutATimeCountsFromWhenItWasFirstRead() throws Exception {
        Path file = Files.createDirectories(folder.resolve("a")).resolve("session-keys");
        List<String> own = List.of("11".repeat(32), "22".repeat(32));
        Files.write(file, own);
        Files.setLastModifiedTime(file, FileTime.from(now.minus(Duration.ofDays(100))));
        Node node = node("a", Duration.ofDays(30));

        node.keys.refresh();
        node.keys.refresh();

        assertThat(Files.readAllLines(file)).containsExactly(own.get(0) + ' ' + now, own.get(1) + ' ' + now);
        now = now.plus(Duration.ofDays(30)).minusSeconds(1);
        node.keys.refresh();
        assertThat(lines("a")).singleElement(as(STRING)).startsWith(own.get(0));
        now = now.plusSeconds(1);
        node.keys.refresh();
        assertThat(lines("a")).hasSize(2);
    }

    @Test
    void fileIsReadWhileAnotherProcessHoldsItsLock() throws Exception {
        Node node = node("a", Duration.ofHours(1));
        Path file = folder.resolve("a/session-keys");
        SessionCredentials before = node.issue();
        Process holder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Holder.class.getName(),
                        file + ".lock")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            assertThat(holder.getInputStream().read()).isEqualTo('x');
            Files.writeString(file, "11".repeat(32) + ' ' + now + '\n');
            now = now.plus(Duration.ofHours(1));
            node.keys.refresh();
            assertThat(node.accepts(before)).isFalse();
            assertThat(lines("a")).hasSize(1);
        } finally {
            holder.destroyForcibly();
            holder.waitFor();
        }
        node.keys.refresh();
        assertThat(lines("a")).hasSize(2);
    }

    /** Process that holds the lock of a file until it is ended. */
    static final class Holder {
        private Holder() {}

        public static void main(String[] arguments) throws Exception {
            try (FileChannel file = FileChannel.open(Path.of(arguments[0]), StandardOpenOption.WRITE);
                    FileLock held = file.lock()) {
                System.out.print(held.isValid() ? 'x' : '-');
                System.out.flush();
                System.in.read();
            }
        }
    }

    private static boolean succeeds(String... command) throws InterruptedException {
        try {
            return new ProcessBuilder(command).inheritIO().start().waitFor() == 0;
        } catch (IOException absent) {
            return false;
        }
    }

    /** Returns what the keys log at level WARN meanwhile. */
    private static List<String> logOf(Runnable work) {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        Logger logger = (Logger) LoggerFactory.getLogger(SessionKeyFile.class);
        log.start();
        logger.addAppender(log);
        try {
            work.run();
        } finally {
            logger.detachAppender(log);
        }
        return log.list.stream()
                .filter(line -> line.getLevel() == Level.WARN)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    private Node node(String name, Duration rotation) throws Exception {
        return node(name, Optional.of(rotation));
    }

    private Node node(String name, Optional<Duration> rotation) throws Exception {
        SessionKeyFile keys = SessionKeyFile.in(Files.createDirectories(folder.resolve(name)), rotation, () -> now);
        Node node = new Node(keys);
        nodes.add(node);
        return node;
    }

    private List<String> lines(String name) throws Exception {
        return Files.readAllLines(folder.resolve(name).resolve("session-keys"));
    }

    /** Returns the beginning of a token: the version and the id of the key. */
    private static String key(SessionCredentials session) {
        return session.token().reveal().substring(0, 12);
    }

    /** A gateway's keys, and the sessions that it issues and accepts. */
    private final class Node {
        private final SessionKeyFile keys;
        private final Sessions sessions;

        Node(SessionKeyFile keys) {
            this.keys = keys;
            this.sessions = new Sessions(keys, new RoleRegistry(List.of()), TRAINER, Optional.empty(), () -> now);
        }

        SessionCredentials issue() {
            return sessions.issue(
                    SessionGrant.toIdentity("trainer", "arn:aws:iam::000000000000:user/trainer"), LONGEST);
        }

        /** Returns whether a token can be opened, even if it has expired. */
        boolean accepts(SessionCredentials session) throws Exception {
            return sessions.find(session.accessKey(), session.token().reveal()).isPresent();
        }
    }
}
