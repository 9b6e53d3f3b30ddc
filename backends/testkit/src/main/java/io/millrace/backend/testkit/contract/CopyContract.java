package io.millrace.backend.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.ReadConditions;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.data.ReferenceChecksum;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A copy within a backend has the bytes of its source and the requested headers. */
interface CopyContract extends WriteSupport {
    /** Returns whether copies take conditions on the target. */
    boolean supportsConditionalCopy();

    @Test
    default void copyHasTheBytesTheHeadersAndTheTag() {
        assumeTrue(supports(Capability.COPY), "does not copy");
        HeaderList headers =
                HeaderList.EMPTY.with("content-type", "text/x-source").with("x-amz-meta-from", "source");
        byte[] bytes = GeneratedBytes.of("source").first(3_000_001);
        WriteResult source = put(target("a/source", headers, WriteCondition.ALWAYS), bytes);

        WriteResult copy = copy(source("a/source"), target("b/copy"));

        assertContent("b/copy", bytes);
        assertContent("a/source", bytes);
        ObjectHead head = head(readRequest(new ObjectKey("b/copy"))).head();
        assertThat(head.headers().fields()).containsAll(headers.fields());
        assertThat(copy.eTag()).isEqualTo(head.eTag());
        if (hasMd5Tags()) {
            assertThat(copy.eTag()).isEqualTo(source.eTag());
        }
        assertThat(copy.lastModified()).isPresent();
        assertThat(Duration.between(copy.lastModified().orElseThrow(), Instant.now()))
                .isBetween(Duration.ofSeconds(-5), Duration.ofMinutes(1));
    }

    @Test
    default void copyOfAnEmptyObjectIsEmpty() {
        assumeTrue(supports(Capability.COPY), "does not copy");
        put("empty", new byte[0]);

        copy(source("empty"), target("copy-of-empty"));

        assertContent("copy-of-empty", new byte[0]);
    }

    @Test
    default void copyReplacesTheHeadersIfRequested() {
        assumeTrue(supports(Capability.COPY), "does not copy");
        HeaderList old = HeaderList.EMPTY.with("content-type", "text/x-old").with("x-amz-meta-old", "1");
        put(target("source", old, WriteCondition.ALWAYS), new byte[] {1});

        copy(source("source"), replacing("copy"));

        HeaderList headers = head(readRequest(new ObjectKey("copy"))).head().headers();
        assertThat(headers.first("content-type")).contains("text/x-new");
        assertThat(headers.first("x-amz-meta-new")).contains("1");
        assertThat(headers.first("x-amz-meta-old")).isEmpty();
    }

    @Test
    default void copyOntoItselfChangesHeadersOnly() {
        assumeTrue(supports(Capability.COPY), "does not copy");
        byte[] bytes = GeneratedBytes.of("itself").first(100_000);
        put("itself", bytes);

        copy(source("itself"), replacing("itself"));

        assertContent("itself", bytes);
        assertThat(head(readRequest(new ObjectKey("itself"))).head().headers().first("x-amz-meta-new"))
                .contains("1");
    }

    @Test
    default void copyOntoItselfThatChangesNothingIsRefused() {
        assumeTrue(supports(Capability.COPY), "does not copy");
        put("itself", new byte[] {1});

        BackendException failure = ContractSupport.assertFailure(
                backend().copy(source("itself"), target("itself")), FailureKind.INVALID_REQUEST);

        WriteSupport.assertS3Error(failure, "InvalidRequest");
        assertContent("itself", new byte[] {1});
    }

    @Test
    default void copyReplacesWhatIsThere() {
        assumeTrue(supports(Capability.COPY), "does not copy");
        put("source", GeneratedBytes.of("source").first(100));
        put("there", GeneratedBytes.of("there").first(5000));

        copy(source("source"), target("there"));

        assertContent("there", GeneratedBytes.of("source").first(100));
    }

    @Test
    default void copyOfWhatIsNotThereFails() {
        assumeTrue(supports(Capability.COPY), "does not copy");

        ContractSupport.assertFailure(backend().copy(source("nothing"), target("copy")), FailureKind.NO_SUCH_KEY);

        assertMissing("copy");
    }

    @Test
    default void conditionsOnTheSourceDecide() {
        assumeTrue(supports(Capability.COPY), "does not copy");
        ETag tag = put("source", new byte[] {1}).eTag().orElseThrow();
        ETag other = ETag.strong("0123456789abcdef0123456789abcdef");

        ContractSupport.assertFailure(
                backend().copy(source("source", ifMatch(other)), target("copy")), FailureKind.PRECONDITION_FAILED);
        ContractSupport.assertFailure(
                backend().copy(source("source", ifNoneMatch(tag)), target("copy")), FailureKind.PRECONDITION_FAILED);
        assertMissing("copy");

        copy(source("source", ifMatch(tag)), target("copy"));
        copy(source("source", ifNoneMatch(other)), target("copy-2"));
        assertContent("copy", new byte[] {1});
        assertContent("copy-2", new byte[] {1});
    }

    @Test
    default void conditionOnTheTargetDecides() {
        assumeTrue(supports(Capability.COPY) && supports(Capability.CONDITIONAL_WRITE), "takes no conditions");
        assumeTrue(supportsConditionalCopy(), "copies without conditions only");
        put("source", new byte[] {1});
        put("there", new byte[] {2});

        ContractSupport.assertFailure(
                backend().copy(source("source"), target("there", HeaderList.EMPTY, new WriteCondition.IfAbsent())),
                FailureKind.PRECONDITION_FAILED);

        assertContent("there", new byte[] {2});
    }

    @Test
    default void copiesBetweenBuckets() {
        assumeTrue(supports(Capability.COPY), "does not copy");
        byte[] bytes = GeneratedBytes.of("far").first(70_000);
        put("far", bytes);

        inAnotherBucket(other -> {
            ObjectRef away = new ObjectRef(other, new ObjectKey("away"));
            copy(source("far"), new NewObject(away, HeaderList.EMPTY, WriteCondition.ALWAYS));
            assertThat(readFrom(other, "away")).isEqualTo(bytes);

            copy(new CopySource(away, Optional.empty(), ReadConditions.NONE), target("back"));
            assertContent("back", bytes);
        });
    }

    @Test
    default void copyKeepsTheChecksum() {
        assumeTrue(supports(Capability.COPY) && supports(Capability.CHECKSUMS), "keeps no checksums");
        byte[] bytes = GeneratedBytes.of("summed").first(1000);
        HeaderList summed =
                HeaderList.EMPTY.with(ReferenceChecksum.SHA256.headerName(), ReferenceChecksum.SHA256.compute(bytes));
        put(target("summed", summed, WriteCondition.ALWAYS), bytes);

        copy(source("summed"), target("copy"));

        assertThat(head(readRequest(new ObjectKey("copy")).withChecksums())
                        .head()
                        .headers()
                        .first(ReferenceChecksum.SHA256.headerName()))
                .contains(ReferenceChecksum.SHA256.compute(bytes));
    }

    private WriteResult copy(CopySource source, NewObject target) {
        return ContractSupport.await(backend().copy(source, target));
    }

    private CopySource source(String key) {
        return source(key, ReadConditions.NONE);
    }

    private CopySource source(String key, ReadConditions conditions) {
        return new CopySource(ref(key), Optional.empty(), conditions);
    }

    private NewObject replacing(String key) {
        HeaderList headers = HeaderList.EMPTY
                .with("x-amz-metadata-directive", "REPLACE")
                .with("content-type", "text/x-new")
                .with("x-amz-meta-new", "1");
        return target(key, headers, WriteCondition.ALWAYS);
    }

    private static ReadConditions ifMatch(ETag tag) {
        return new ReadConditions(Optional.of(List.of(tag)), Optional.empty(), Optional.empty(), Optional.empty());
    }

    private static ReadConditions ifNoneMatch(ETag tag) {
        return new ReadConditions(Optional.empty(), Optional.of(List.of(tag)), Optional.empty(), Optional.empty());
    }
}
