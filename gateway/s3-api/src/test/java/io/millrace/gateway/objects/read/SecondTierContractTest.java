package io.millrace.gateway.objects.read;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.MultipartUploads.CompletedPart;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.MultipartUploads.StoredPart;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.data.UploadBodies;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.backend.testkit.server.CreatedBucketContract;
import io.millrace.cache.BlockCache;
import io.millrace.gateway.objects.testkit.CacheFixture;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the backend contract over a gateway with a cache: what it caches must never show in what the tier before it
 * sees.
 */
@Tag("matrix")
class SecondTierContractTest extends CreatedBucketContract {
    @TempDir
    static Path folder;

    @SuppressWarnings("NullAway.Init") // connect sets it
    private BlockCache cache;

    @SuppressWarnings("NullAway.Init") // connect sets it
    private TestGateway far;

    @Override
    protected Backend connect() throws IOException {
        cache = CacheFixture.in(folder);
        far = TestGateway.builder()
                .cache(cache)
                .bucket(
                        "*",
                        new InMemoryBackend(Set.of(
                                Capability.VERSIONS,
                                Capability.WRITE,
                                Capability.CONDITIONAL_WRITE,
                                Capability.MULTIPART,
                                Capability.COPY,
                                Capability.PARTS,
                                Capability.CHECKSUMS)))
                .start();
        return far.asBackend(64);
    }

    @AfterAll
    void closeFarGateway() {
        far.close();
        cache.close();
    }

    @Override
    public boolean supportsKey(ObjectKey key) {
        return key.value().indexOf('\0') < 0;
    }

    @Override
    public void seedParts(ObjectKey key, List<byte[]> parts) {
        NewObject object = new NewObject(new ObjectRef(bucket(), key), HeaderList.EMPTY, WriteCondition.ALWAYS);
        MultipartUpload upload = Objects.requireNonNull(
                        backend().createUpload(object).block(TIMEOUT))
                .upload();
        List<CompletedPart> completed = IntStream.rangeClosed(1, parts.size())
                .mapToObj(number -> seedPart(upload, number, parts.get(number - 1)))
                .toList();
        backend()
                .completeUpload(upload, completed, HeaderList.EMPTY, WriteCondition.ALWAYS)
                .block(TIMEOUT);
    }

    private CompletedPart seedPart(MultipartUpload upload, int number, byte[] bytes) {
        StoredPart stored = Objects.requireNonNull(backend()
                .putPart(upload, number, HeaderList.EMPTY, UploadBodies.of(bytes))
                .block(TIMEOUT));
        return new CompletedPart(number, stored.eTag(), HeaderList.EMPTY);
    }

    @Override
    public void seedVersions(ObjectKey key, List<byte[]> contents) {
        contents.forEach(bytes -> seed(key, bytes, HeaderList.EMPTY));
    }
}
