package io.millrace.gateway.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.auth.policy.Principal;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ListRequest.PageStart;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.jobs.plan.InvalidJobException;
import io.millrace.gateway.jobs.store.JobState;
import io.millrace.gateway.jobs.store.ObjectFailure;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of packs: what is in which shard, the same bytes for the same seed, and what fails instead of being wrong. */
@ExtendWith(BufferLeakExtension.class)
@Timeout(120)
class PackJobsTest {
    private static final BucketName IMAGES = new BucketName("images");
    private static final BucketName SHARDS = new BucketName("shards");

    @TempDir
    Path folder;

    private final InMemoryBackend images =
            new InMemoryBackend(EnumSet.of(Capability.WRITE, Capability.LIST)).createBucket(IMAGES);
    private final InMemoryBackend shards =
            new InMemoryBackend(EnumSet.of(Capability.WRITE, Capability.LIST)).createBucket(SHARDS);
    private final CountingBackend source = new CountingBackend(images);
    private final CountingBackend target = new CountingBackend(shards);
    private JobsFixture jobs;

    @BeforeEach
    void start() throws IOException {
        jobs = JobsFixture.withDerived(
                folder,
                Map.of(IMAGES, source.backend(), SHARDS, target.backend()),
                BucketViews.derived("samples", "shards", "*.tar", ""));
    }

    @AfterEach
    void stop() {
        jobs.close();
    }

    @Test
    void packsWholeSamplesWithAnIndexBesideThem() throws IOException {
        store("train/a/1.jpg", "one");
        store("train/a/1.json", "{}");
        store("train/a/2.jpg", "");
        store("train/a/3.cls.txt", "3");
        store("train/b/", "");
        store("trainer.jpg", "no");

        JobStatus job = pack("x/", "'name': 's-%02d.tar', 'samples': 2");

        assertThat(job.state()).isEqualTo(JobState.DONE);
        assertThat(job.progress().done()).isEqualTo(2);
        assertThat(names("x/")).containsExactly("x/s-00.idx", "x/s-00.tar", "x/s-01.idx", "x/s-01.tar");
        assertThat(members("x/s-00.tar"))
                .containsExactly(entry("a/1.jpg", "one"), entry("a/1.json", "{}"), entry("a/2.jpg", ""));
        assertThat(members("x/s-01.tar")).containsExactly(entry("a/3.cls.txt", "3"));
        // As wds2idx makes them.
        assertThat(text("x/s-00.idx"))
                .isEqualTo("v1.2 2\njpg 512 3 a/1.jpg json 1536 2 a/1.json\njpg 2560 0 a/2.jpg\n");
        assertThat(text("x/s-01.idx")).isEqualTo("v1.2 1\ncls.txt 512 1 a/3.cls.txt\n");
        assertThat(arrangement(job)).isEmpty();
    }

    @Test
    void sameSeedMakesTheSameShards() throws IOException {
        Random random = new Random(1);
        for (int i = 0; i < 300; i++) {
            store("train/%03d.bin".formatted(i), "x".repeat(random.nextInt(2000)));
            store("train/%03d.json".formatted(i), "{}");
        }

        assertThat(pack("x/", "'name': '%04d.tar', 'size': '64KiB', 'shuffle': 7")
                        .state())
                .isEqualTo(JobState.DONE);
        assertThat(pack("y/", "'name': '%04d.tar', 'size': '64KiB', 'shuffle': 7")
                        .state())
                .isEqualTo(JobState.DONE);
        assertThat(pack("z/", "'name': '%04d.tar', 'size': '64KiB', 'shuffle': 8")
                        .state())
                .isEqualTo(JobState.DONE);

        List<String> made = names("x/");
        assertThat(made).hasSizeGreaterThan(10);
        for (String name : made) {
            assertThat(bytes(name)).hasSizeLessThanOrEqualTo(64 << 10).isEqualTo(bytes(name.replace("x/", "y/")));
        }
        List<String> shuffled = inOrder("x/");
        assertThat(shuffled)
                .hasSize(600)
                .doesNotHaveDuplicates()
                .isNotEqualTo(inOrder("z/"))
                .containsExactlyInAnyOrderElementsOf(inOrder("z/"));
        assertThat(shuffled).isNotEqualTo(shuffled.stream().sorted().toList());
        for (int i = 0; i < shuffled.size(); i += 2) {
            assertThat(shuffled.get(i + 1)).isEqualTo(shuffled.get(i).replace(".bin", ".json"));
        }
    }

    /** A window of 64 has 16 runs of four neighbours, from anywhere. */
    @Test
    void windowMixesRunsOfNeighbours() throws IOException {
        for (int i = 0; i < 640; i++) {
            store("train/%03d.bin".formatted(i), "sample " + i);
        }
        String form = "'name': '%04d.tar', 'samples': 64, 'shuffle': 7, 'window': 64";

        assertThat(pack("x/", form).state()).isEqualTo(JobState.DONE);
        assertThat(pack("y/", form).state()).isEqualTo(JobState.DONE);

        List<Integer> order = inOrder("x/").stream()
                .map(name -> Integer.valueOf(name.substring(0, 3)))
                .toList();
        assertThat(order).hasSize(640).doesNotHaveDuplicates();
        assertThat(inOrder("y/")).isEqualTo(inOrder("x/"));
        List<Integer> runs = new ArrayList<>();
        for (int begin = 0; begin < 640; begin += 64) {
            List<Integer> window = order.subList(begin, begin + 64);
            assertThat(window.stream().map(sample -> sample / 4).distinct()).hasSize(16);
            assertThat(window).isNotEqualTo(window.stream().sorted().toList());
            runs.addAll(window.stream().map(sample -> sample / 4).distinct().toList());
        }
        assertThat(runs)
                .hasSize(160)
                .doesNotHaveDuplicates()
                .isNotEqualTo(runs.stream().sorted().toList());
    }

    @Test
    void windowNeedsAListing() {
        assertThatThrownBy(() -> jobs.admin(requestOf("'keys': ['a']", "'shuffle': 7, 'window': 64")))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("is only for a selection by prefix");
    }

    @Test
    void appendedShardsFollowThoseOfTheTarget() throws IOException {
        store("train/1.txt", "1");
        store("train/2.txt", "2");
        assertThat(pack("x/", "'name': 's-%03d.tar', 'samples': 1").state()).isEqualTo(JobState.DONE);
        // No names of shards of this pack.
        for (String other : List.of("s-7.tar", "s-0009.tar", "s-009.tar.gz", "s-08x.tar", "s-.tar", "t-009.tar")) {
            shards.store(shard("x/" + other), new byte[] {1}, HeaderList.EMPTY);
        }
        shards.store(shard("y/s-009.tar"), new byte[] {1}, HeaderList.EMPTY);
        List<String> before = names("x/");
        store("train/3.txt", "3");

        JobStatus job = pack("x/", "'name': 's-%03d.tar', 'samples': 2, 'append': true");

        assertThat(job.state()).isEqualTo(JobState.DONE);
        assertThat(job.message()).isEqualTo("it has appended s-002.tar to s-003.tar");
        assertThat(names("x/").stream().filter(name -> !before.contains(name)))
                .containsExactly("x/s-002.idx", "x/s-002.tar", "x/s-003.idx", "x/s-003.tar");
        assertThat(members("x/s-000.tar")).containsExactly(entry("1.txt", "1"));
        assertThat(members("x/s-002.tar")).containsExactly(entry("1.txt", "1"), entry("2.txt", "2"));
        assertThat(members("x/s-003.tar")).containsExactly(entry("3.txt", "3"));
    }

    @Test
    void appendWithoutShardsAtTheTargetBeginsWithTheFirst() throws IOException {
        store("train/1.txt", "1");

        assertThat(pack("x/", "'name': '%04d.tar', 'append': true").message()).isEqualTo("it has appended 0000.tar");

        assertThat(names("x/")).containsExactly("x/0000.idx", "x/0000.tar");
    }

    @Test
    void interruptedAppendKeepsItsNumbers() throws IOException {
        shards.store(shard("0007.tar"), new byte[] {1}, HeaderList.EMPTY);
        for (int i = 1; i <= 6; i++) {
            store("train/%d.bin".formatted(i), "x".repeat(512 << 10));
        }
        String slowly = ", 'workers': 1, 'bandwidth': '1MiB'";
        JobStatus job = jobs.admin(request("", "'name': '%04d.tar', 'samples': 1, 'append': true", slowly));
        Polling.within(JobsFixture.SOON).until(() -> target.total("put") >= 2);

        jobs.restart();
        JobStatus ended = jobs.end(job);

        assertThat(ended.state()).isEqualTo(JobState.DONE);
        assertThat(ended.progress().done()).isEqualTo(6);
        assertThat(ended.message()).isEqualTo("it has appended 0008.tar to 0013.tar");
        assertThat(names("").stream().filter(name -> name.endsWith(".tar")))
                .containsExactly("0007.tar", "0008.tar", "0009.tar", "0010.tar", "0011.tar", "0012.tar", "0013.tar");
        for (int i = 1; i <= 6; i++) {
            assertThat(members("%04d.tar".formatted(i + 7))).containsOnlyKeys(i + ".bin");
        }
    }

    /** The other one comes while the shard is on its way. */
    @Test
    void appendReplacesNoShardOfAnother() throws IOException {
        store("train/a.txt", "a");
        store("train/b.txt", "b");
        target.holdAfter(0, "put");
        JobStatus job = jobs.admin(request("", "'name': '%04d.tar', 'samples': 1, 'append': true", ", 'workers': 1"));
        Polling.within(JobsFixture.SOON).until(() -> target.waiting("put") == 1);

        shards.store(shard("0000.tar"), new byte[] {1}, HeaderList.EMPTY);
        target.release("put");

        JobStatus ended = jobs.end(job);
        assertThat(ended.state()).isEqualTo(JobState.DONE_WITH_FAILURES);
        assertThat(ended.message())
                .isEqualTo("its shards are 0000.tar to 0001.tar; what the target has of those that failed may be of"
                        + " another pack");
        assertThat(failures(job)).singleElement().satisfies(failure -> {
            assertThat(failure.key()).isEqualTo("0000.tar");
            assertThat(failure.reason()).contains("the target has another object of its name");
        });
        assertThat(bytes("0000.tar")).containsExactly(1);
        assertThat(members("0001.tar")).containsExactly(entry("b.txt", "b"));
    }

    /** A retry would number all its shards after those that this one has made. */
    @Test
    void retryOfAnAppendIsRefused() {
        store("train/a.txt", "a");
        target.before("put", () -> {
            throw new IllegalStateException("a defect");
        });
        JobStatus job = pack("", "'name': '%04d.tar', 'append': true");
        assertThat(job.state()).isEqualTo(JobState.DONE_WITH_FAILURES);
        assertThat(job.message()).startsWith("its shards are 0000.tar; ");

        assertThatThrownBy(() -> retry(job))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("delete those that the job has appended, and submit it again");
    }

    @Test
    void failuresOfAPackAreNoObjectsToCopy() throws IOException {
        changeWhileItIsRead(() -> store("train/c.txt", "another"));
        String pack = jobs.jobs()
                .list(JobsFixture.ADMIN, state -> state == JobState.DONE_WITH_FAILURES, Optional.empty(), 1)
                .get(0)
                .id();

        assertThatThrownBy(() -> jobs.admin("{'kind': 'copy', 'from': {'bucket': 'images', 'failuresOf': '" + pack
                        + "'}, 'to': {'bucket': 'shards'}}"))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("whose failures are shards");
    }

    @Test
    void membersOfShardsArePackedAgain() throws IOException {
        for (int i = 0; i < 20; i++) {
            store("train/%02d.bin".formatted(i), "sample " + i);
        }
        pack("x/", "'name': '%04d.tar', 'samples': 5");

        JobStatus job = jobs.end(jobs.admin("{'kind': 'pack', 'from': {'bucket': 'samples', 'prefix': 'x/'},"
                + " 'to': {'bucket': 'shards', 'prefix': 'y/'}, 'shards': {'name': '%04d.tar', 'samples': 7}}"));

        assertThat(job.state()).isEqualTo(JobState.DONE);
        assertThat(members("y/0000.tar"))
                .hasSize(7)
                .containsEntry("0000.tar/00.bin", "sample 0")
                .containsEntry("0001.tar/06.bin", "sample 6");
        assertThat(inOrder("y/")).hasSize(20).doesNotHaveDuplicates();
    }

    @Test
    void gnuTarReadsShards() throws Exception {
        assumeTrue(output("tar", "--version").contains("GNU tar"));
        String longName = "d/".repeat(90) + "n".repeat(120) + ".txt";
        store("train/" + longName, "long");
        store("train/\u00e9.txt", "not of ASCII");
        store("train/z.txt", "last");

        pack("", "'name': '%01d.tar'");
        Files.write(folder.resolve("shard.tar"), bytes("0.tar"));

        assertThat(output("tar", "--list", "--quoting-style=literal", "--file", "shard.tar")
                        .lines())
                .containsExactly(longName, "z.txt", "\u00e9.txt");
    }

    @Test
    void objectWhoseNameNoTarHasFailsTheJobWhichLeavesNothing() {
        store("train/a.txt", "a");
        store("train/b/", "bytes");

        JobStatus job = pack("", "'name': '%04d.tar', 'shuffle': 7");

        assertThat(job.state()).isEqualTo(JobState.FAILED);
        assertThat(job.message()).contains("no tar has a file of the name of 'train/b/'");
        assertThat(names("")).isEmpty();
        assertThat(arrangement(job)).isEmpty();
    }

    /** The first read changes what is read last. */
    @Test
    void changedObjectFailsItsShardAlone() throws IOException {
        changeWhileItIsRead(() -> store("train/c.txt", "another"));
    }

    @Test
    void missingObjectFailsItsShardAlone() throws IOException {
        changeWhileItIsRead(() -> images.remove(new ObjectRef(IMAGES, new ObjectKey("train/c.txt"))));
    }

    private void changeWhileItIsRead(Runnable change) throws IOException {
        store("train/a.txt", "a");
        store("train/b.txt", "b");
        store("train/c.txt", "c");
        AtomicBoolean isChanged = new AtomicBoolean();
        source.before("open", () -> {
            if (isChanged.compareAndSet(false, true)) {
                change.run();
            }
        });

        JobStatus job = pack("", "'name': '%04d.tar', 'samples': 1", ", 'workers': 1");

        assertThat(job.state()).isEqualTo(JobState.DONE_WITH_FAILURES);
        assertThat(failures(job)).singleElement().satisfies(failure -> {
            assertThat(failure.key()).isEqualTo("0002.tar");
            assertThat(failure.reason())
                    .isEqualTo("s3://images/train/c.txt has changed or gone since the job listed it: submit the job"
                            + " again");
        });
        assertThat(names("")).containsExactly("0000.idx", "0000.tar", "0001.idx", "0001.tar");

        store("train/c.txt", "again");
        target.forget();
        JobStatus again = jobs.end(retry(job));

        assertThat(again.state()).isEqualTo(JobState.DONE);
        assertThat(target.calls("put")).containsOnlyKeys("0002.tar", "0002.idx");
        assertThat(members("0002.tar")).containsExactly(entry("c.txt", "again"));
    }

    /** Of a shard of thousands nobody could find it otherwise. */
    @Test
    void memberThatCannotBeReadIsNamed() {
        store("train/a.txt", "");
        store("train/b.txt", "b");
        source.before("open", () -> {
            throw new BackendException(FailureKind.INVALID_STATE, "it is archived");
        });

        assertThat(failures(pack("", "'name': '%04d.tar'"))).singleElement().satisfies(failure -> {
            assertThat(failure.key()).isEqualTo("0000.tar");
            assertThat(failure.reason()).startsWith("s3://images/train/b.txt: ");
        });

        // A range of an object that is shorter by now.
        source.before("open", () -> {
            throw new BackendException(FailureKind.INVALID_RANGE, "it has no such bytes");
        });

        assertThat(failures(pack("", "'name': '%04d.tar'")))
                .extracting(ObjectFailure::reason)
                .containsExactly("s3://images/train/b.txt has changed or gone since the job listed it: submit the job"
                        + " again");
    }

    @Test
    void keyOfAListThatTheBackendDeniesIsNamed() {
        store("train/a.jpg", "a");
        source.before("head", () -> {
            throw new BackendException(FailureKind.ACCESS_DENIED, "denied");
        });

        JobStatus job = packOf("'keys': ['train/a.jpg']", "'samples': 1");

        assertThat(job.state()).isEqualTo(JobState.FAILED);
        assertThat(job.message()).startsWith("s3://images/train/a.jpg: ").contains("denies this to the gateway");
    }

    @Test
    void shardOfAnotherPackUnderWayIsLeft() throws IOException {
        store("train/a.txt", "a");
        store("train/b.txt", "b");
        target.holdAfter(0, "put");
        JobStatus job = jobs.admin(request("", "'name': '%04d.tar', 'samples': 1", ", 'workers': 1"));
        Polling.within(JobsFixture.SOON).until(() -> target.waiting("put") == 1);
        Instant begun = Instant.now();

        // Dates of objects may have no fractions of seconds, and a second more is left to the clocks.
        Polling.within(JobsFixture.SOON).until(() -> Instant.now().isAfter(begun.plusSeconds(2)));
        shards.store(
                new ObjectRef(SHARDS, new ObjectKey("0001.tar")),
                new byte[] {1},
                HeaderList.EMPTY.with("x-amz-meta-millrace-pack", "0".repeat(64)));
        target.release("put");

        assertThat(jobs.end(job).state()).isEqualTo(JobState.DONE_WITH_FAILURES);
        assertThat(failures(job)).singleElement().satisfies(failure -> {
            assertThat(failure.key()).isEqualTo("0001.tar");
            assertThat(failure.reason()).contains("another pack has stored it since this one began");
        });
        assertThat(bytes("0001.tar")).containsExactly(1);
        assertThat(members("0000.tar")).containsExactly(entry("a.txt", "a"));
    }

    @Test
    void objectThatTheOwnerMayNotReadFailsItsShard() throws IOException {
        store("train/a.txt", "a");
        store("train/b.txt", "b");
        Principal owner = JobsFixture.who("packer", "list:images", "read:images/train/a*", "write:shards");

        JobStatus job = jobs.end(jobs.submit(owner, request("", "'name': '%04d.tar', 'samples': 1", "")));

        assertThat(job.state()).isEqualTo(JobState.DONE_WITH_FAILURES);
        assertThat(failures(job))
                .extracting(ObjectFailure::reason)
                .containsExactly("AccessDenied, its owner lacks the right read on s3://images/train/b.txt");
        assertThat(names("")).containsExactly("0000.idx", "0000.tar");
    }

    @Test
    void restartKeepsTheArrangement() throws IOException {
        for (int i = 1; i <= 6; i++) {
            store("train/%d.bin".formatted(i), "x".repeat(512 << 10));
        }
        String slowly = ", 'workers': 1, 'bandwidth': '1MiB'";
        JobStatus job = jobs.admin(request("", "'name': '%04d.tar', 'samples': 1", slowly));
        Polling.within(JobsFixture.SOON).until(() -> target.total("put") >= 2);
        store("train/0.bin", "it would be the first");

        jobs.restart();
        JobStatus ended = jobs.end(job);

        assertThat(ended.state()).isEqualTo(JobState.DONE);
        assertThat(ended.progress().done()).isEqualTo(6);
        assertThat(inOrder("")).containsExactly("1.bin", "2.bin", "3.bin", "4.bin", "5.bin", "6.bin");
        assertThat(arrangement(job)).isEmpty();
    }

    @Test
    void startDeletesTheArrangementThatAKillLeft() throws IOException {
        store("train/a.txt", "a");
        JobStatus job = pack("", "'name': '%04d.tar'");

        jobs.interrupted(() ->
                Files.writeString(folder.resolve("data/jobs").resolve(job.id()).resolve("pack-members"), "a member"));

        assertThat(arrangement(job)).isEmpty();
    }

    @Test
    void emptySelectionIsAFailureAfterWhichThePackCanBeResumed() throws IOException {
        JobStatus job = pack("", "'name': '%04d.tar'");

        assertThat(job.state()).isEqualTo(JobState.FAILED);
        assertThat(job.message()).contains("its selection has no objects");

        store("train/a.txt", "a");
        jobs.jobs().resume(JobsFixture.ADMIN, job.id()).block(JobsFixture.SOON);

        assertThat(jobs.end(job).state()).isEqualTo(JobState.DONE);
        assertThat(inOrder("")).containsExactly("a.txt");
    }

    /** Servers that keep files take the last three for folders of the selection, too. */
    @ParameterizedTest
    @ValueSource(strings = {"a/b/", "a/b/c/", "a//b/", "/a/b/", "a/x/../b/"})
    void packIntoItsSelectionIsRefused(String prefix) {
        assertThatThrownBy(() -> jobs.admin("{'kind': 'pack', 'from': {'bucket': 'images', 'prefix': 'a/b/'},"
                        + " 'to': {'bucket': 'images', 'prefix': '" + prefix + "'}, 'shards': {'name': '%04d.tar'}}"))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("lies inside the selection");
    }

    /** A shard of the new arrangement would replace one of the old, which has members that are not read yet. */
    @Test
    void packOverTheShardsThatItReadsIsRefused() {
        for (String prefix : List.of("x/", "x/000", "", "x/0000.tar/a")) {
            assertThatThrownBy(() -> jobs.admin("{'kind': 'pack', 'from': {'bucket': 'samples', 'prefix': '" + prefix
                            + "'}, 'to': {'bucket': 'shards', 'prefix': 'x/'}, 'shards': {'name': '%04d.tar'}}"))
                    .as(prefix)
                    .isInstanceOf(InvalidJobException.class)
                    .hasMessageContaining("lies inside the selection");
        }
    }

    @Test
    void orderOfKeysIsThatOfTheMembers() throws IOException {
        store("train/a.jpg", "a");
        store("train/b.jpg", "b");
        store("train/b.json", "{}");
        store("c.jpg", "c");

        JobStatus job = packOf("'keys': ['train/b.json', 'train/b.jpg', 'c.jpg', 'train/a.jpg']", "'samples': 2");

        assertThat(job.state()).isEqualTo(JobState.DONE);
        assertThat(members("0000.tar"))
                .containsExactly(entry("train/b.json", "{}"), entry("train/b.jpg", "b"), entry("c.jpg", "c"));
        assertThat(members("0001.tar")).containsExactly(entry("train/a.jpg", "a"));
    }

    @Test
    void orderOfAManifestIsThatOfTheMembersUnlessItIsShuffled() throws IOException {
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            keys.add("train/%03d.bin".formatted(i * 7 % 300));
            store(keys.get(i), "x" + i);
        }
        store("order", String.join("\n", keys) + "\n");

        assertThat(packOf("'manifest': 'order'", "'samples': 100").state()).isEqualTo(JobState.DONE);

        assertThat(inOrder("")).containsExactlyElementsOf(keys);
        assertThat(source.calls("head")).hasSize(300);

        assertThat(packOf("'manifest': 'order', 'glob': '**9.bin'", "'shuffle': 1")
                        .state())
                .isEqualTo(JobState.DONE);
        List<String> some = keys.stream().filter(key -> key.endsWith("9.bin")).toList();
        assertThat(new ArrayList<>(members("0000.tar").keySet()))
                .containsExactlyInAnyOrderElementsOf(some)
                .isNotEqualTo(some);
    }

    @Test
    void absentKeyFailsTheJobBeforeItWrites() {
        store("train/a.jpg", "a");

        JobStatus job = packOf("'keys': ['train/a.jpg', 'train/b.jpg']", "'samples': 1");

        assertThat(job.state()).isEqualTo(JobState.FAILED);
        assertThat(job.message()).contains("there is no s3://images/train/b.jpg");
        assertThat(names("")).isEmpty();
        assertThat(arrangement(job)).isEmpty();
    }

    @Test
    void sampleAtSeveralPlacesOfAListFailsTheJob() {
        store("train/a.jpg", "a");
        store("train/a.json", "{}");
        store("train/b.jpg", "b");

        for (String order : List.of("", ", 'shuffle': 1")) {
            assertThat(packOf("'keys': ['train/a.jpg', 'train/b.jpg', 'train/a.json']", "'samples': 9" + order)
                            .message())
                    .contains("the files of sample 'train/a.' are at several places of the list");
            assertThat(packOf("'keys': ['train/a.jpg', 'train/b.jpg', 'train/a.jpg']", "'samples': 9" + order)
                            .message())
                    .contains("the files of sample 'train/a.' are at several places of the list");
            assertThat(packOf("'keys': ['train/a.jpg', 'train/a.jpg']", "'samples': 9" + order)
                            .message())
                    .contains("it selects 'train/a.jpg' twice");
        }
        assertThat(names("")).isEmpty();
    }

    /** Whoever may write a manifest must not learn of other objects whether they are there. */
    @Test
    void packOfAManifestRequestsNothingThatItsOwnerMayNotRead() {
        store("train/a.jpg", "a");
        store("secret/b.jpg", "b");
        store("lists/order", "train/a.jpg\nsecret/b.jpg\n");
        Principal owner = JobsFixture.who("packer", "read:images/train/*", "read:images/lists/*", "write:shards");

        JobStatus job = jobs.end(jobs.submit(owner, requestOf("'manifest': 'lists/order'", "'samples': 1")));

        assertThat(job.state()).isEqualTo(JobState.FAILED);
        assertThat(job.message()).isEqualTo("AccessDenied, its owner lacks the right read on s3://images/secret/b.jpg");
        assertThat(source.calls("head")).doesNotContainKey("secret/b.jpg");
        assertThat(names("")).isEmpty();
    }

    @Test
    void keyAmongTheShardsFailsTheJob() {
        store("x/0007.tar", "an earlier shard");

        JobStatus job = jobs.end(jobs.admin("{'kind': 'pack', 'from': {'bucket': 'images', 'keys': ['x/0007.tar']},"
                + " 'to': {'bucket': 'images', 'prefix': 'x/'}, 'shards': {'name': '%04d.tar'}}"));

        assertThat(job.state()).isEqualTo(JobState.FAILED);
        assertThat(job.message()).contains("'x/0007.tar' lies where the shards will");
    }

    private JobStatus retry(JobStatus job) {
        return Objects.requireNonNull(jobs.jobs()
                .submit(JobsFixture.ADMIN, job.request().ofFailures(job.id()))
                .block(JobsFixture.SOON));
    }

    private JobStatus pack(String prefix, String form) {
        return pack(prefix, form, "");
    }

    private JobStatus pack(String prefix, String form, String more) {
        return jobs.end(jobs.admin(request(prefix, form, more)));
    }

    /** Packs a selection in another way than by a prefix. */
    private JobStatus packOf(String selection, String form) {
        return jobs.end(jobs.admin(requestOf(selection, form)));
    }

    private static String requestOf(String selection, String form) {
        return "{'kind': 'pack', 'from': {'bucket': 'images', " + selection + "}, 'to': {'bucket': 'shards'},"
                + " 'shards': {'name': '%04d.tar', " + form + "}}";
    }

    private static String request(String prefix, String form, String more) {
        return "{'kind': 'pack', 'from': {'bucket': 'images', 'prefix': 'train/'}, 'to': {'bucket': 'shards',"
                + " 'prefix': '" + prefix + "'}, 'shards': {" + form + "}" + more + "}";
    }

    private static ObjectRef shard(String key) {
        return new ObjectRef(SHARDS, new ObjectKey(key));
    }

    private void store(String key, String content) {
        images.store(
                new ObjectRef(IMAGES, new ObjectKey(key)), content.getBytes(StandardCharsets.UTF_8), HeaderList.EMPTY);
    }

    private List<ObjectFailure> failures(JobStatus job) {
        return Objects.requireNonNull(
                jobs.jobs().failures(JobsFixture.ADMIN, job.id()).block(JobsFixture.SOON));
    }

    private List<String> arrangement(JobStatus job) {
        String[] names =
                folder.resolve("data/jobs").resolve(job.id()).toFile().list((in, name) -> name.startsWith("pack-"));
        return List.of(Objects.requireNonNull(names));
    }

    private List<String> names(String prefix) {
        ListRequest all = new ListRequest(SHARDS, prefix, "", new PageStart.FirstKey(), 1000, false);
        return Objects.requireNonNull(shards.listObjects(all).block(JobsFixture.SOON)).objects().stream()
                .map(object -> object.key().value())
                .toList();
    }

    /** Returns the names of the members of all shards. */
    private List<String> inOrder(String prefix) throws IOException {
        List<String> all = new ArrayList<>();
        for (String name : names(prefix)) {
            if (name.endsWith(".tar")) {
                all.addAll(members(name).keySet());
            }
        }
        return all;
    }

    private Map<String, String> members(String key) throws IOException {
        Map<String, String> members = new LinkedHashMap<>();
        try (TarArchiveInputStream tar = new TarArchiveInputStream(new ByteArrayInputStream(bytes(key)))) {
            for (TarArchiveEntry member = tar.getNextEntry(); member != null; member = tar.getNextEntry()) {
                members.put(member.getName(), new String(tar.readAllBytes(), StandardCharsets.UTF_8));
            }
        }
        return members;
    }

    private String text(String key) {
        return new String(bytes(key), StandardCharsets.UTF_8);
    }

    private byte[] bytes(String key) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        Objects.requireNonNull(shards.open(ReadRequest.of(new ObjectRef(SHARDS, new ObjectKey(key))))
                        .block(JobsFixture.SOON))
                .body()
                .doOnNext(piece -> add(all, piece))
                .blockLast(JobsFixture.SOON);
        return all.toByteArray();
    }

    private static void add(ByteArrayOutputStream all, ByteBuf piece) {
        byte[] bytes = new byte[piece.readableBytes()];
        piece.readBytes(bytes).release();
        all.writeBytes(bytes);
    }

    /** Returns what a command prints; nothing if there is no such command. */
    private String output(String... command) throws InterruptedException {
        try {
            ProcessBuilder builder =
                    new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
            builder.environment().put("LC_ALL", "C.UTF-8");
            Process process = builder.start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            process.waitFor();
            return output;
        } catch (IOException e) {
            return "";
        }
    }
}
