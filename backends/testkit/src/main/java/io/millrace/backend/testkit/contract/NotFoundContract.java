package io.millrace.backend.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.backend.spi.object.ReadConditions;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Missing objects and buckets are reported as such, and existing buckets are listed. */
interface NotFoundContract extends ContractSupport {
    /** Name of a bucket that no implementation creates. */
    BucketName MISSING_BUCKET = new BucketName("millrace-no-such-bucket");

    @Test
    default void missingKeyIsReportedWhateverElseIsRequested() {
        seeded("there/is/something", 1);
        ReadConditions any = new ReadConditions(
                Optional.of(ReadConditions.ANY), Optional.empty(), Optional.empty(), Optional.empty());
        ReadRequest request = readRequest(new ObjectKey("there/is/nothing"));

        assertFails(request, FailureKind.NO_SUCH_KEY);
        assertFails(
                request.withSelection(new ByteSelection.RangeSelection(new RangeSpec.OpenEnded(5))),
                FailureKind.NO_SUCH_KEY);
        assertFails(request.withConditions(any), FailureKind.NO_SUCH_KEY);
    }

    @Test
    default void prefixOfAKeyIsNoKey() {
        seeded("deep/er/file", 1);

        assertFails(readRequest(new ObjectKey("deep")), FailureKind.NO_SUCH_KEY);
        assertFails(readRequest(new ObjectKey("deep/")), FailureKind.NO_SUCH_KEY);
        assertFails(readRequest(new ObjectKey("deep/er")), FailureKind.NO_SUCH_KEY);
        assertFails(readRequest(new ObjectKey("deep/er/")), FailureKind.NO_SUCH_KEY);
        assertFails(readRequest(new ObjectKey("deep/er/file/")), FailureKind.NO_SUCH_KEY);
        assertFails(readRequest(new ObjectKey("deep/er/file/below")), FailureKind.NO_SUCH_KEY);
    }

    @Test
    default void removedKeyIsMissing() {
        ObjectKey key = seeded("gone", 1);

        remove(key);

        assertFails(readRequest(key), FailureKind.NO_SUCH_KEY);
    }

    @Test
    default void errorsAreFreshEachTime() {
        ReadRequest request = readRequest(new ObjectKey("nothing"));

        BackendException first = ContractSupport.assertFailure(backend().head(request), FailureKind.NO_SUCH_KEY);
        BackendException second = ContractSupport.assertFailure(backend().head(request), FailureKind.NO_SUCH_KEY);

        assertThat(first).isNotSameAs(second);
    }

    @Test
    default void missingBucketIsReported() {
        ReadRequest request = ReadRequest.of(new ObjectRef(MISSING_BUCKET, new ObjectKey("key")));
        ListRequest list = new ListRequest(MISSING_BUCKET, "", "", new ListRequest.PageStart.FirstKey(), 10, false);

        ContractSupport.assertFailure(
                backend().open(request).doOnNext(ObjectContent::discard), FailureKind.NO_SUCH_BUCKET);
        ContractSupport.assertFailure(
                backend().listObjects(list),
                supports(Capability.LIST) ? FailureKind.NO_SUCH_BUCKET : FailureKind.UNSUPPORTED);
        ContractSupport.assertFailure(backend().headBucket(MISSING_BUCKET), FailureKind.NO_SUCH_BUCKET);
    }

    /** A HEAD has no body, so S3 cannot say which of the two is missing. */
    @Test
    default void headInAMissingBucketFindsNothing() {
        ReadRequest request = ReadRequest.of(new ObjectRef(MISSING_BUCKET, new ObjectKey("key")));

        BackendException failure = catchThrowableOfType(
                BackendException.class, () -> backend().head(request).block(TIMEOUT));

        assertThat(failure).isNotNull();
        assertThat(failure.kind()).isIn(FailureKind.NO_SUCH_BUCKET, FailureKind.NO_SUCH_KEY);
    }

    @Test
    default void listsBucketsByNameAndFindsEach() {
        BucketName bucket = bucket();

        assertThat(ContractSupport.await(backend().headBucket(bucket)).name()).isEqualTo(bucket);
        assumeTrue(supports(Capability.LIST), "does not list");
        assertThat(ContractSupport.await(backend().listBuckets()))
                .extracting(BucketInfo::name)
                .contains(bucket)
                .doesNotContain(MISSING_BUCKET)
                .isSorted();
    }

    @Test
    default void readsStartOnSubscription() {
        ObjectKey key = new ObjectKey("later");
        var head = backend().head(readRequest(key));
        var content = backend().open(readRequest(key));

        seed(key, new byte[] {1}, HeaderList.EMPTY);

        assertThat(ContractSupport.await(head).head().size()).isEqualTo(1);
        ContractSupport.await(content).discard();
    }
}
