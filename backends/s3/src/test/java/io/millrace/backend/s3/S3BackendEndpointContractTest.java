package io.millrace.backend.s3;

import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import software.amazon.awssdk.services.s3.model.S3Exception;

/**
 * Runs the backend contract against any server: {@code MILLRACE_TEST_S3_ENDPOINT}, {@code _ACCESS_KEY} and {@code
 * _SECRET_KEY} say which, {@code _REGION} if it is not us-east-1. Skipped without them. {@code _SERVER} says what it
 * is, where that is one of those whose ways are known here: {@code versitygw} (1.8.0), {@code localstack} (4.12.0),
 * {@code minio} (February 2026) or {@code seaweedfs} (4.53).
 */
@EnabledIfEnvironmentVariable(named = "MILLRACE_TEST_S3_ENDPOINT", matches = ".+")
class S3BackendEndpointContractTest extends S3Contract {
    private static final String PREFIX = "MILLRACE_TEST_S3_";
    private static final String TAKES_ANY_END = "takes the end of a connection, a reset too, for the end of the body";

    @Override
    TestS3Server server() {
        Map<String, String> environment = System.getenv();
        TestS3Server server = new TestS3Server(
                URI.create(environment.getOrDefault(PREFIX + "ENDPOINT", "")),
                environment.getOrDefault(PREFIX + "ACCESS_KEY", ""),
                environment.getOrDefault(PREFIX + "SECRET_KEY", ""),
                environment.getOrDefault(PREFIX + "REGION", "us-east-1"));
        // Conditions go to no server that Millrace does not know, unless its operator declares them.
        return isAny("seaweedfs") ? server.honouring(ConditionalOperation.values()) : server;
    }

    /** A server on a file system refuses names; what it refuses it need not give back. */
    @Override
    public void seed(ObjectKey key, byte[] bytes, HeaderList headers) {
        try {
            super.seed(key, bytes, headers);
        } catch (CompletionException e) {
            assumeFalse(e.getCause() instanceof S3Exception, () -> "the server refuses " + key + ": " + e.getCause());
            throw e;
        }
    }

    @Override
    @Test
    public void oddKeysAreListedAsTheyAre() {
        assumeTrue(supportsKey(new ObjectKey("a//b")), "the server folds slashes");
        super.oddKeysAreListedAsTheyAre();
    }

    @Override
    public boolean supportsDiffersCondition() {
        return !isAny("versitygw", "localstack", "seaweedfs");
    }

    @Override
    public boolean supportsExistsCondition() {
        return !isAny("versitygw", "localstack", "seaweedfs");
    }

    @Override
    public boolean supportsConditionalCopy() {
        return !isAny("versitygw", "localstack", "minio");
    }

    /** LocalStack looks first and completes afterwards. */
    @Override
    public boolean supportsConditionalCompletion() {
        return !isAny("localstack");
    }

    @Override
    public boolean supportsConditionalDelete() {
        return !isAny("versitygw", "localstack", "minio");
    }

    @Override
    public boolean repeatsCompletion() {
        return !isAny("versitygw", "localstack", "minio", "seaweedfs");
    }

    /** versitygw refuses the markers that it gives; MinIO gives all uploads at once, the oldest first. */
    @Override
    public boolean paginatesUploads() {
        return !isAny("versitygw", "minio");
    }

    @Override
    public boolean verifiesObjectSize() {
        return !isAny("minio", "seaweedfs");
    }

    /** To MinIO {@code /a} is {@code a}; SeaweedFS folds slashes. */
    @Override
    public boolean supportsKey(ObjectKey key) {
        return super.supportsKey(key)
                && !(isAny("minio") && key.value().startsWith("/"))
                && !(isAny("seaweedfs") && key.value().contains("//"));
    }

    @Override
    public boolean acceptsExistingBucket() {
        return isAny("localstack");
    }

    @Override
    @Test
    public void refusesMissingUnorderedOrTooSmallParts() {
        assumeFalse(isAny("versitygw"), "looks at sizes before it looks at the order");
        super.refusesMissingUnorderedOrTooSmallParts();
    }

    @Override
    @Test
    public void uploadThatNeverWasIsReported() {
        assumeFalse(isAny("versitygw"), "misses the parts before it misses the upload");
        assumeFalse(isAny("minio"), "aborts whatever it is asked to abort");
        assumeFalse(isAny("seaweedfs"), "calls the request invalid");
        super.uploadThatNeverWasIsReported();
    }

    @Override
    @Test
    public void partsAreListedInPages() {
        assumeFalse(isAny("minio"), "lists nothing after a number that no part has");
        super.partsAreListedInPages();
    }

    @Override
    @Test
    public void uploadsUnderWayAreListed() {
        assumeFalse(isAny("minio"), "lists uploads by their age");
        super.uploadsUnderWayAreListed();
    }

    @Override
    @Test
    void metadataInUtf8IsStoredAsItsBytes() {
        assumeFalse(isAny("minio"), "returns it in the encoding of RFC 2047");
        super.metadataInUtf8IsStoredAsItsBytes();
    }

    @Override
    @Test
    public void deletedKeyTakesNoLongerOnesAlong() {
        assumeFalse(isAny("versitygw"), "refuses to delete a folder that is not empty");
        super.deletedKeyTakesNoLongerOnesAlong();
    }

    @Override
    @Test
    public void writtenHeadersComeBackExactly() {
        assumeFalse(isAny("localstack"), "makes a Wednesday of a Thursday that is none");
        super.writtenHeadersComeBackExactly();
    }

    @Override
    @Test
    public void bodyOfAnotherLengthIsNotStored() {
        assumeFalse(isAny("localstack"), TAKES_ANY_END);
        super.bodyOfAnotherLengthIsNotStored();
    }

    @Override
    @Test
    public void failingBodyFailsTheWriteAndKeepsTheObject() {
        assumeFalse(isAny("localstack"), TAKES_ANY_END);
        super.failingBodyFailsTheWriteAndKeepsTheObject();
    }

    @Override
    @Test
    public void cancelledWriteStoresNothingAndCancelsItsBody() {
        assumeFalse(isAny("localstack"), TAKES_ANY_END);
        super.cancelledWriteStoresNothingAndCancelsItsBody();
    }

    @Override
    @Test
    public void partThatFailsLeavesTheUploadAsItWas() {
        assumeFalse(isAny("localstack"), TAKES_ANY_END);
        super.partThatFailsLeavesTheUploadAsItWas();
    }

    @Override
    @Test
    public void foldersOfEveryDepthPageInOrder() {
        assumeFalse(isAny("localstack"), "pages without end where a page ends with a rolled-up prefix");
        super.foldersOfEveryDepthPageInOrder();
    }

    @Override
    @Test
    public void tortureListIsHeldReadAndListed() {
        assumeFalse(isAny("localstack"), "pages without end where a page ends with a rolled-up prefix");
        assumeFalse(isAny("minio"), "a key hides those below it, and delimiter b pages without end");
        super.tortureListIsHeldReadAndListed();
    }

    /** SeaweedFS lists folders in the order of their names without the slash: {@code x%/} before {@code x%%/}. */
    @Override
    public void assertRolledUp(List<ObjectKey> keys, String prefix, String delimiter) {
        if (!isAny("seaweedfs")) {
            super.assertRolledUp(keys, prefix, delimiter);
        }
    }

    @Override
    @Test
    public void namesOfTheTortureListAreWrittenAndDeleted() {
        assumeFalse(isAny("seaweedfs"), "keeps the empty folder for a while");
        super.namesOfTheTortureListAreWrittenAndDeleted();
    }

    @Override
    @Test
    public void prefixOfAKeyIsNoKey() {
        assumeFalse(isAny("seaweedfs"), "has a folder there, and says so");
        super.prefixOfAKeyIsNoKey();
    }

    @Override
    @Test
    public void removedKeyIsNotListed() {
        assumeFalse(isAny("seaweedfs"), "keeps the empty folder for a while");
        super.removedKeyIsNotListed();
    }

    @Override
    @Test
    public void delimiterMayBeAnyText() {
        assumeFalse(isAny("seaweedfs"), "lists prefixes by the keys that they begin, not in order");
        super.delimiterMayBeAnyText();
    }

    @Override
    @Test
    public void conditionalDeleteOfWhatIsNotThereSucceeds() {
        assumeFalse(isAny("seaweedfs"), "says that the condition does not hold");
        super.conditionalDeleteOfWhatIsNotThereSucceeds();
    }

    @Override
    @Test
    public void newerPartReplacesTheOlder() {
        assumeFalse(isAny("seaweedfs"), "completes with the ETag of a part that was replaced");
        super.newerPartReplacesTheOlder();
    }

    @Override
    @Test
    public void beginningReportsTheChecksumThatWasRequested() {
        assumeFalse(isAny("seaweedfs"), "says nothing of it");
        super.beginningReportsTheChecksumThatWasRequested();
    }

    @Override
    @Test
    public void storedPartsAreListedByNumber() {
        assumeFalse(isAny("seaweedfs"), "also lists a part that was replaced");
        super.storedPartsAreListedByNumber();
    }

    @Override
    @Test
    public void checksumsOfPartsAreListed() {
        assumeFalse(isAny("seaweedfs"), "lists no checksums");
        super.checksumsOfPartsAreListed();
    }

    private static boolean isAny(String... servers) {
        return List.of(servers).contains(System.getenv().getOrDefault(PREFIX + "SERVER", ""));
    }
}
