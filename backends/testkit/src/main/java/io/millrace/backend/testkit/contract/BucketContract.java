package io.millrace.backend.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BucketManager.NewBucket;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.data.ListedPages;
import org.junit.jupiter.api.Test;

/** Buckets can be created and deleted, unless they hold objects. */
interface BucketContract extends WriteSupport {
    /** Returns whether creating an existing bucket succeeds, as it does in one region of AWS. */
    boolean acceptsExistingBucket();

    @Test
    default void bucketIsMadeUsedAndDeleted() {
        assumeTrue(supports(Capability.WRITE), "takes no writes");
        BucketName name = newBucketName();

        backend().createBucket(NewBucket.of(name)).block(TIMEOUT);

        assertThat(ContractSupport.await(backend().headBucket(name)).name()).isEqualTo(name);
        assertThat(ContractSupport.await(backend().listBuckets()))
                .extracting(BucketInfo::name)
                .contains(name);
        ObjectRef object = new ObjectRef(name, new ObjectKey("in/it"));
        put(new NewObject(object, HeaderList.EMPTY, WriteCondition.ALWAYS), new byte[] {7});
        assertThat(readFrom(name, "in/it")).containsExactly(7);

        delete(object);
        backend().deleteBucket(name).block(TIMEOUT);

        ContractSupport.assertFailure(backend().headBucket(name), FailureKind.NO_SUCH_BUCKET);
        assertThat(ContractSupport.await(backend().listBuckets()))
                .extracting(BucketInfo::name)
                .doesNotContain(name);
    }

    @Test
    default void bucketThatIsThereIsNotMadeAgain() {
        assumeTrue(supports(Capability.WRITE), "takes no writes");
        assumeFalse(acceptsExistingBucket(), "says yes");
        put("kept", new byte[] {1});

        BackendException failure = ContractSupport.assertFailure(
                backend().createBucket(NewBucket.of(bucket())), FailureKind.INVALID_REQUEST);

        WriteSupport.assertS3Error(failure, "BucketAlreadyOwnedByYou");
        assertContent("kept", new byte[] {1});
    }

    @Test
    default void bucketThatHoldsSomethingStays() {
        assumeTrue(supports(Capability.WRITE), "takes no writes");
        put("deep/in/it", new byte[] {1});

        BackendException failure =
                ContractSupport.assertFailure(backend().deleteBucket(bucket()), FailureKind.INVALID_REQUEST);

        WriteSupport.assertS3Error(failure, "BucketNotEmpty");
        assertContent("deep/in/it", new byte[] {1});
    }

    @Test
    default void missingBucketIsNotDeleted() {
        assumeTrue(supports(Capability.WRITE), "takes no writes");

        ContractSupport.assertFailure(backend().deleteBucket(newBucketName()), FailureKind.NO_SUCH_BUCKET);
    }

    @Test
    default void deletedBucketComesBackEmpty() {
        assumeTrue(supports(Capability.WRITE), "takes no writes");
        BucketName name = newBucketName();
        for (int round = 0; round < 2; round++) {
            backend().createBucket(NewBucket.of(name)).block(TIMEOUT);
            assertThat(ListedPages.readAll(backend(), ListedPages.request(name, "", "", 10))
                            .keys())
                    .isEmpty();
            ObjectRef object = new ObjectRef(name, new ObjectKey("a/b"));
            put(new NewObject(object, HeaderList.EMPTY, WriteCondition.ALWAYS), new byte[] {1});
            delete(object);
            backend().deleteBucket(name).block(TIMEOUT);
        }
    }
}
