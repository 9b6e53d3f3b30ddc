package io.millrace.backend.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ListRequest.PageStart;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.data.DifficultKeys;
import io.millrace.backend.testkit.data.GeneratedBytes;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;

/**
 * Runs the backend contract against S3Proxy in this JVM, which verifies signatures. It keeps its objects in a file
 * system in memory and has neither versions nor readable parts; where it does otherwise than S3, the case says so.
 */
class S3BackendS3ProxyTest extends S3Contract {
    private final S3ProxyServer proxy = S3ProxyServer.start();

    @AfterAll
    void stop() {
        proxy.close();
    }

    @Override
    TestS3Server server() {
        return proxy.server();
    }

    @Override
    Backend backend(TestS3Server server) {
        return new LimitedBackend(
                server.backend(), EnumSet.complementOf(EnumSet.of(Capability.VERSIONS, Capability.PARTS)));
    }

    /**
     * It sorts by UTF-16, so names beyond the basic plane stand in another place of its listings, and it puts keys into
     * continuation tokens as they are, where XML cannot hold control characters.
     */
    @Override
    public boolean supportsKey(ObjectKey key) {
        return super.supportsKey(key)
                && key.value().chars().noneMatch(c -> c < ' ' || c >= 0xFFFE || Character.isSurrogate((char) c));
    }

    /** As the contract has it, but for the delimiters that S3Proxy does not know. */
    @Override
    @Test
    public void tortureListIsHeldReadAndListed() {
        List<ObjectKey> keys =
                DifficultKeys.keys().stream().filter(this::supportsKey).sorted().toList();
        keys.forEach(key -> seed(key, content(key), HeaderList.EMPTY));

        assertThat(keys).hasSizeGreaterThan(250);
        assertThat(keys)
                .allSatisfy(key -> assertThat(bytes(ReadRequest.of(new ObjectRef(bucket(), key))))
                        .isEqualTo(content(key)));
        assertThat(listed()).containsExactlyElementsOf(keys);
    }

    private List<ObjectKey> listed() {
        List<ObjectKey> listed = new ArrayList<>();
        Optional<PageStart> from = Optional.of(new PageStart.FirstKey());
        while (from.isPresent()) {
            ListPage page = Objects.requireNonNull(backend()
                    .listObjects(new ListRequest(bucket(), "", "", from.get(), 17, false))
                    .block());
            page.objects().forEach(entry -> listed.add(entry.key()));
            from = page.next();
        }
        return listed;
    }

    private byte[] bytes(ReadRequest request) {
        return ContentReader.read(Objects.requireNonNull(backend().open(request).block()));
    }

    private static byte[] content(ObjectKey key) {
        return GeneratedBytes.of(key.value()).first(40);
    }

    @Override
    @Disabled("S3Proxy sorts by UTF-16")
    @Test
    public void keysComeInTheByteOrderOfUtf8() {}

    @Override
    @Disabled("S3Proxy finds a folder under a key that ends in a slash")
    @Test
    public void prefixOfAKeyIsNoKey() {}

    @Override
    @Disabled("S3Proxy knows delimiters of one character")
    @Test
    public void delimiterMayBeAnyText() {}

    /** S3Proxy refuses such a delimiter, and the client learns that. */
    @Override
    @Test
    public void textThatNoKeyHasMatchesNone() {
        ListRequest list = new ListRequest(bucket(), "", "\u0001", new PageStart.FirstKey(), 10, false);

        assertThatThrownBy(() -> backend().listObjects(list).block())
                .isInstanceOfSatisfying(
                        BackendException.class,
                        refusal -> assertThat(refusal.kind()).isEqualTo(FailureKind.INVALID_REQUEST));
    }

    @Override
    @Disabled("S3Proxy folds slashes")
    @Test
    public void oddKeysAreListedAsTheyAre() {}

    @Override
    @Disabled("S3Proxy answers 400 to any part but the first")
    @Test
    public void simpleObjectHasOnlyPartOne() {}

    @Override
    @Disabled("S3Proxy answers 501 to any versionId")
    @Test
    public void withoutVersionsOnlyTheNullVersionIsThere() {}

    /** It keeps checksums that stand before the bytes, and of the old algorithms only. */
    @Override
    public boolean storesChecksum(String algorithm) {
        return false;
    }

    /** Nothing tells that it is S3Proxy, and to servers of the setting go only conditions that S3 itself has. */
    @Override
    public boolean supportsDiffersCondition() {
        return false;
    }

    @Override
    public boolean supportsExistsCondition() {
        return false;
    }

    @Override
    public boolean supportsConditionalCopy() {
        return false;
    }

    @Override
    public boolean supportsConditionalCompletion() {
        return false;
    }

    @Override
    public boolean repeatsCompletion() {
        return false;
    }

    @Override
    public boolean paginatesUploads() {
        return false;
    }

    @Override
    public boolean supportsUploadChecksum(String algorithm, String type) {
        return false;
    }

    @Override
    public boolean verifiesObjectSize() {
        return false;
    }

    @Override
    @Disabled("S3Proxy deletes the object, whatever versionId says")
    @Test
    public void withoutVersionsOnlyTheNullVersionIsDeleted() {}

    @Override
    @Disabled("S3Proxy looks at a condition first and writes afterwards")
    @Test
    public void countersUnderConditionsLoseNoStep() {}

    @Override
    @Disabled("S3Proxy looks at a condition first and writes afterwards")
    @Test
    public void ofRacingReplacersExactlyOneWins() {}

    @Override
    @Disabled("S3Proxy makes Wednesday of a Thursday that is none")
    @Test
    public void writtenHeadersComeBackExactly() {}

    @Override
    @Disabled("S3Proxy does not look whether an upload is there")
    @Test
    public void uploadThatNeverWasIsReported() {}

    @Override
    @Disabled("S3Proxy does not look whether an upload is there")
    @Test
    public void abortDeletesTheUpload() {}

    @Override
    @Disabled("S3Proxy lists parts without pages")
    @Test
    public void partsAreListedInPages() {}

    @Override
    @Disabled("S3Proxy looks at sizes before it looks at the order")
    @Test
    public void refusesMissingUnorderedOrTooSmallParts() {}

    @Override
    @Disabled("S3Proxy tells no algorithm")
    @Test
    public void beginningReportsTheChecksumThatWasRequested() {}

    @Override
    @Disabled("S3Proxy does not compare the trailer")
    @Test
    void trailerThatIsWrongIsRefused() {}

    @Override
    @Disabled("S3Proxy signs other bytes than came: it takes them for ISO-8859-1 and writes that in UTF-8")
    @Test
    void metadataInUtf8IsStoredAsItsBytes() {}

    @Override
    @Disabled("S3Proxy knows no tags")
    @Test
    void tagsAreForwarded() {}
}
