package io.millrace.backend.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.BucketInfo;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.BucketWriter.NewBucket;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.WriteCondition;
import org.junit.jupiter.api.Test;

/** Buckets are made and deleted, and never one that holds something. */
interface BucketWriteCases extends WriterCases {
    /** Whether making a bucket that is there succeeds, as it does in one region of AWS. */
    boolean makesBucketsTwice();

    @Test
    default void bucketIsMadeUsedAndDeleted() {
        assumeTrue(can(Capability.WRITE), "takes no writes");
        BucketName name = newBucketName();

        backend().createBucket(NewBucket.of(name)).block(PATIENCE);

        assertThat(ContractCases.await(backend().bucket(name)).name()).isEqualTo(name);
        assertThat(ContractCases.await(backend().buckets()))
                .extracting(BucketInfo::name)
                .contains(name);
        ObjectRef object = new ObjectRef(name, new ObjectKey("in/it"));
        put(new NewObject(object, HeaderList.EMPTY, WriteCondition.ALWAYS), new byte[] {7});
        assertThat(readFrom(name, "in/it")).containsExactly(7);

        delete(object);
        backend().deleteBucket(name).block(PATIENCE);

        ContractCases.failure(backend().bucket(name), Kind.NO_SUCH_BUCKET);
        assertThat(ContractCases.await(backend().buckets()))
                .extracting(BucketInfo::name)
                .doesNotContain(name);
    }

    @Test
    default void bucketThatIsThereIsNotMadeAgain() {
        assumeTrue(can(Capability.WRITE), "takes no writes");
        assumeFalse(makesBucketsTwice(), "says yes");
        put("kept", new byte[] {1});

        BackendException failure =
                ContractCases.failure(backend().createBucket(NewBucket.of(bucket())), Kind.INVALID_REQUEST);

        WriterCases.assertWords(failure, "BucketAlreadyOwnedByYou");
        assertHolds("kept", new byte[] {1});
    }

    @Test
    default void bucketThatHoldsSomethingStays() {
        assumeTrue(can(Capability.WRITE), "takes no writes");
        put("deep/in/it", new byte[] {1});

        BackendException failure = ContractCases.failure(backend().deleteBucket(bucket()), Kind.INVALID_REQUEST);

        WriterCases.assertWords(failure, "BucketNotEmpty");
        assertHolds("deep/in/it", new byte[] {1});
    }

    @Test
    default void missingBucketIsNotDeleted() {
        assumeTrue(can(Capability.WRITE), "takes no writes");

        ContractCases.failure(backend().deleteBucket(newBucketName()), Kind.NO_SUCH_BUCKET);
    }

    @Test
    default void deletedBucketComesBackEmpty() {
        assumeTrue(can(Capability.WRITE), "takes no writes");
        BucketName name = newBucketName();
        for (int round = 0; round < 2; round++) {
            backend().createBucket(NewBucket.of(name)).block(PATIENCE);
            assertThat(Pages.of(backend(), Pages.request(name, "", "", 10)).keys())
                    .isEmpty();
            ObjectRef object = new ObjectRef(name, new ObjectKey("a/b"));
            put(new NewObject(object, HeaderList.EMPTY, WriteCondition.ALWAYS), new byte[] {1});
            delete(object);
            backend().deleteBucket(name).block(PATIENCE);
        }
    }
}
