package io.millrace.backend.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.Conditions;
import io.millrace.backend.spi.ETag;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.Written;
import io.millrace.backend.spi.WriteCondition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Copies inside a backend: the bytes, and the headers that were asked for. */
interface CopyCases extends WriterCases {
    /** Whether copies take conditions on the target. */
    boolean copiesUnderConditions();

    @Test
    default void copyHasTheBytesTheHeadersAndTheTag() {
        assumeTrue(can(Capability.COPY), "does not copy");
        HeaderList headers =
                HeaderList.EMPTY.with("content-type", "text/x-source").with("x-amz-meta-from", "source");
        byte[] bytes = Bytes.of("source").first(3_000_001);
        Written source = put(target("a/source", headers, WriteCondition.ALWAYS), bytes);

        Written copy = copy(source("a/source"), target("b/copy"));

        assertHolds("b/copy", bytes);
        assertHolds("a/source", bytes);
        ObjectHead head = head(asking(new ObjectKey("b/copy"))).head();
        assertThat(head.headers().fields()).containsAll(headers.fields());
        assertThat(copy.eTag()).isEqualTo(source.eTag()).isEqualTo(head.eTag());
        assertThat(copy.lastModified()).isPresent();
        assertThat(Duration.between(copy.lastModified().orElseThrow(), Instant.now()))
                .isBetween(Duration.ofSeconds(-5), Duration.ofMinutes(1));
    }

    @Test
    default void copyOfAnEmptyObjectIsEmpty() {
        assumeTrue(can(Capability.COPY), "does not copy");
        put("empty", new byte[0]);

        copy(source("empty"), target("copy-of-empty"));

        assertHolds("copy-of-empty", new byte[0]);
    }

    @Test
    default void copyReplacesTheHeadersIfAsked() {
        assumeTrue(can(Capability.COPY), "does not copy");
        HeaderList old = HeaderList.EMPTY.with("content-type", "text/x-old").with("x-amz-meta-old", "1");
        put(target("source", old, WriteCondition.ALWAYS), new byte[] {1});

        copy(source("source"), replacing("copy"));

        HeaderList headers = head(asking(new ObjectKey("copy"))).head().headers();
        assertThat(headers.first("content-type")).contains("text/x-new");
        assertThat(headers.first("x-amz-meta-new")).contains("1");
        assertThat(headers.first("x-amz-meta-old")).isEmpty();
    }

    @Test
    default void copyOntoItselfChangesHeadersOnly() {
        assumeTrue(can(Capability.COPY), "does not copy");
        byte[] bytes = Bytes.of("itself").first(100_000);
        put("itself", bytes);

        copy(source("itself"), replacing("itself"));

        assertHolds("itself", bytes);
        assertThat(head(asking(new ObjectKey("itself"))).head().headers().first("x-amz-meta-new"))
                .contains("1");
    }

    @Test
    default void copyOntoItselfThatChangesNothingIsRefused() {
        assumeTrue(can(Capability.COPY), "does not copy");
        put("itself", new byte[] {1});

        BackendException failure =
                ContractCases.failure(backend().copy(source("itself"), target("itself")), Kind.INVALID_REQUEST);

        WriterCases.assertWords(failure, "InvalidRequest");
        assertHolds("itself", new byte[] {1});
    }

    @Test
    default void copyReplacesWhatIsThere() {
        assumeTrue(can(Capability.COPY), "does not copy");
        put("source", Bytes.of("source").first(100));
        put("there", Bytes.of("there").first(5000));

        copy(source("source"), target("there"));

        assertHolds("there", Bytes.of("source").first(100));
    }

    @Test
    default void copyOfWhatIsNotThereFails() {
        assumeTrue(can(Capability.COPY), "does not copy");

        ContractCases.failure(backend().copy(source("nothing"), target("copy")), Kind.NO_SUCH_KEY);

        assertMissing("copy");
    }

    @Test
    default void conditionsOnTheSourceDecide() {
        assumeTrue(can(Capability.COPY), "does not copy");
        ETag tag = put("source", new byte[] {1}).eTag().orElseThrow();
        ETag other = ETag.strong("0123456789abcdef0123456789abcdef");

        ContractCases.failure(
                backend().copy(source("source", ifMatch(other)), target("copy")), Kind.PRECONDITION_FAILED);
        ContractCases.failure(
                backend().copy(source("source", ifNoneMatch(tag)), target("copy")), Kind.PRECONDITION_FAILED);
        assertMissing("copy");

        copy(source("source", ifMatch(tag)), target("copy"));
        copy(source("source", ifNoneMatch(other)), target("copy-2"));
        assertHolds("copy", new byte[] {1});
        assertHolds("copy-2", new byte[] {1});
    }

    @Test
    default void conditionOnTheTargetDecides() {
        assumeTrue(can(Capability.COPY) && can(Capability.CONDITIONAL_WRITE), "takes no conditions");
        assumeTrue(copiesUnderConditions(), "copies without conditions only");
        put("source", new byte[] {1});
        put("there", new byte[] {2});

        ContractCases.failure(
                backend().copy(source("source"), target("there", HeaderList.EMPTY, new WriteCondition.Absent())),
                Kind.PRECONDITION_FAILED);

        assertHolds("there", new byte[] {2});
    }

    @Test
    default void copyGoesFromBucketToBucket() {
        assumeTrue(can(Capability.COPY), "does not copy");
        byte[] bytes = Bytes.of("far").first(70_000);
        put("far", bytes);

        inAnotherBucket(other -> {
            ObjectRef away = new ObjectRef(other, new ObjectKey("away"));
            copy(source("far"), new NewObject(away, HeaderList.EMPTY, WriteCondition.ALWAYS));
            assertThat(readFrom(other, "away")).isEqualTo(bytes);

            copy(new CopySource(away, Optional.empty(), Conditions.NONE), target("back"));
            assertHolds("back", bytes);
        });
    }

    @Test
    default void copyKeepsTheChecksum() {
        assumeTrue(can(Capability.COPY) && can(Capability.CHECKSUMS), "keeps no checksums");
        byte[] bytes = Bytes.of("summed").first(1000);
        HeaderList summed = HeaderList.EMPTY.with(Sums.SHA256.field(), Sums.SHA256.of(bytes));
        put(target("summed", summed, WriteCondition.ALWAYS), bytes);

        copy(source("summed"), target("copy"));

        assertThat(head(asking(new ObjectKey("copy")).withChecksums())
                        .head()
                        .headers()
                        .first(Sums.SHA256.field()))
                .contains(Sums.SHA256.of(bytes));
    }

    private Written copy(CopySource source, NewObject target) {
        return ContractCases.await(backend().copy(source, target));
    }

    private CopySource source(String key) {
        return source(key, Conditions.NONE);
    }

    private CopySource source(String key, Conditions conditions) {
        return new CopySource(ref(key), Optional.empty(), conditions);
    }

    private NewObject replacing(String key) {
        HeaderList headers = HeaderList.EMPTY
                .with("x-amz-metadata-directive", "REPLACE")
                .with("content-type", "text/x-new")
                .with("x-amz-meta-new", "1");
        return target(key, headers, WriteCondition.ALWAYS);
    }

    private static Conditions ifMatch(ETag tag) {
        return new Conditions(Optional.of(List.of(tag)), Optional.empty(), Optional.empty(), Optional.empty());
    }

    private static Conditions ifNoneMatch(ETag tag) {
        return new Conditions(Optional.empty(), Optional.of(List.of(tag)), Optional.empty(), Optional.empty());
    }
}
