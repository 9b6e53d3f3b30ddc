package io.millrace.gateway.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.kit.file.DurableFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is written is there for the next process; a file that cannot be read is told, and not taken for none. */
class FileValueTest {
    private static final BackendBucket BUCKET = new BackendBucket("aws", "bucket");

    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void name() {
        file = folder.resolve("missed.json");
    }

    @Test
    void recordsAreReadByTheNextProcess() throws IOException {
        MissedRecords records = new MissedRecords(
                Map.of("gw-1", Map.of(BUCKET, 7L, BackendBucket.EVERY, 8L), "gw-2", Map.of()), Set.of(BUCKET));

        missed().write(records).block();

        assertThat(missed().read()).isEqualTo(records);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void membersAreReadByTheNextProcess() throws IOException {
        KnownMembers members = new KnownMembers(Set.of("gw-1", "gw-2"), Set.of("gw-1"), Map.of("gw-2", -9L));

        known().write(members).block();

        assertThat(known().read()).isEqualTo(members);
    }

    @Test
    void leaseIsReadByTheNextProcess() throws IOException {
        lease().write(Duration.ofSeconds(7)).block();

        assertThat(lease().read()).hasSeconds(7);
        for (String content : Set.of("{\"version\":1}", "{\"version\":1,\"millis\":60001}")) {
            Files.writeString(folder.resolve("lease.json"), content);
            assertThatThrownBy(this::lease).isInstanceOf(IOException.class).hasMessageContaining("is damaged");
        }
    }

    @Test
    void withoutAFileThereIsTheValueOfANewMember() throws IOException {
        assertThat(missed().read()).isEqualTo(MissedRecords.EMPTY);
        assertThat(known().read()).isEqualTo(KnownMembers.EMPTY);
    }

    @Test
    void killInTheMiddleOfAWriteLeavesTheLastValue() throws IOException {
        MissedRecords records = new MissedRecords(Map.of("gw-1", Map.of(BUCKET, 7L)), Set.of());
        missed().write(records).block();
        Files.writeString(DurableFiles.freshBeside(file), "{\"version\":1,\"mis");

        assertThat(missed().read()).isEqualTo(records);
        missed().write(MissedRecords.EMPTY).block();
        assertThat(missed().read()).isEqualTo(MissedRecords.EMPTY);
    }

    @Test
    void damagedFileIsNotTakenForNone() throws IOException {
        for (String content : Set.of("", "{\"version\":1,\"mis", "{}", "{\"version\":1,\"missed\":{\"gw-1\":[{}]}}")) {
            Files.writeString(file, content);

            assertThatThrownBy(this::missed)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(file + " is damaged")
                    .hasMessageContaining("move it away and start again. Then all is lost");
        }
    }

    @Test
    void fileOfALaterReleaseIsNotTakenForNone() throws IOException {
        Files.writeString(file, "{\"version\":2}");

        assertThatThrownBy(this::missed).isInstanceOf(IOException.class).hasMessageContaining("is of a later release");
    }

    @Test
    void failedWriteIsTold() throws IOException {
        FileValue<MissedRecords> value = missed();
        Files.createDirectory(DurableFiles.freshBeside(file));

        assertThatThrownBy(() -> value.write(MissedRecords.EMPTY).block()).hasCauseInstanceOf(IOException.class);
    }

    private FileValue<MissedRecords> missed() throws IOException {
        return FileValue.open(
                file,
                MissedRecords.EMPTY,
                RecordCodec::missedRecords,
                RecordCodec::encode,
                Runnable::run,
                "all is lost");
    }

    private FileValue<Duration> lease() throws IOException {
        return FileValue.open(
                folder.resolve("lease.json"),
                Duration.ofSeconds(3),
                RecordCodec::lease,
                RecordCodec::encodeLease,
                Runnable::run,
                "all is lost");
    }

    private FileValue<KnownMembers> known() throws IOException {
        return FileValue.open(
                folder.resolve("members.json"),
                KnownMembers.EMPTY,
                RecordCodec::knownMembers,
                RecordCodec::encode,
                Runnable::run,
                "all is lost");
    }
}
