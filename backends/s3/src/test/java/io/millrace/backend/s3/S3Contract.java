package io.millrace.backend.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.http.PrintableText;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.RequestForwarder.ForwardRequest;
import io.millrace.backend.spi.RequestForwarder.QueryParameter;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.UploadBody.Trailer;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.contract.BackendContract;
import io.millrace.backend.testkit.data.DifficultKeys;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import reactor.core.publisher.Flux;

/** The backend contract against one real server, with its own bucket for each case. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class S3Contract extends BackendContract {
    private SdkObjectSeeder seeder;
    private Backend backend;
    private String bucket;
    private Set<ObjectKey> held = Set.of();

    /** The server, running. */
    abstract TestS3Server server() throws Exception;

    @BeforeAll
    void connect() throws Exception {
        TestS3Server server = server();
        seeder = new SdkObjectSeeder(server);
        backend = backend(server);
    }

    @AfterAll
    void disconnect() {
        backend.close().block();
        seeder.close();
    }

    @BeforeEach
    void makeBucket() {
        bucket = seeder.createBucket();
    }

    @AfterEach
    void deleteBucket() {
        seeder.deleteBucket(bucket);
    }

    Backend backend(TestS3Server server) {
        return server.backend();
    }

    final SdkObjectSeeder seeder() {
        return seeder;
    }

    @Override
    public Backend backend() {
        return backend;
    }

    @Override
    public BucketName bucket() {
        return new BucketName(bucket);
    }

    @Override
    public void seed(ObjectKey key, byte[] bytes, HeaderList headers) {
        seeder.put(bucket, key.value(), bytes, headers);
    }

    /**
     * But for a NUL, which is never sent: what the server takes beside all other names and once more over itself, and
     * lists under the same name.
     */
    @Override
    public boolean supportsKey(ObjectKey key) {
        return key.value().indexOf('\0') < 0 && heldNames().contains(key);
    }

    /** Tried in a bucket of its own, which stays behind: there are names that a server takes and then cannot delete. */
    final Set<ObjectKey> heldNames() {
        if (held.isEmpty()) {
            String scratch = seeder.createBucket();
            List<ObjectKey> taken = DifficultKeys.keys().stream()
                    .filter(key -> takes(scratch, key))
                    .toList();
            held = taken.stream().filter(key -> lists(scratch, key)).collect(Collectors.toSet());
            System.out.printf(
                    "%d names of %d are held%n",
                    held.size(), DifficultKeys.keys().size());
        }
        return held;
    }

    private boolean takes(String scratch, ObjectKey key) {
        try {
            seeder.put(scratch, key.value(), new byte[] {1}, HeaderList.EMPTY);
            seeder.put(scratch, key.value(), new byte[] {1, 2}, HeaderList.EMPTY);
            return true;
        } catch (CompletionException e) {
            return notHeld(key, String.valueOf(e.getCause()));
        }
    }

    private boolean lists(String scratch, ObjectKey key) {
        ListRequest only = new ListRequest(
                new BucketName(scratch), key.value(), "", new ListRequest.PageStart.FirstKey(), 1, false);
        try {
            return Objects.requireNonNull(backend.listObjects(only).block()).objects().stream()
                            .anyMatch(entry -> entry.key().equals(key) && entry.size() == 2)
                    || notHeld(key, "listed under another name, or empty");
        } catch (BackendException e) {
            return notHeld(key, "as a prefix: " + e.getMessage());
        }
    }

    private static boolean notHeld(ObjectKey key, String why) {
        System.out.printf("not held: %.60s: %.120s%n", PrintableText.of(key.value()), why);
        return false;
    }

    @Override
    public void remove(ObjectKey key) {
        seeder.delete(bucket, key.value());
    }

    @Override
    public void seedParts(ObjectKey key, List<byte[]> parts) {
        seeder.putParts(bucket, key.value(), parts);
    }

    @Override
    public void seedVersions(ObjectKey key, List<byte[]> contents) {
        seeder.keepVersions(bucket);
        contents.forEach(bytes -> seed(key, bytes, HeaderList.EMPTY));
    }

    /** The form that brings a trailer is none of the object's encodings. */
    @Test
    void doesNotStoreAwsChunkedEncoding() {
        byte[] bytes = GeneratedBytes.of("trailer").first(300_000);
        String sum = Base64.getEncoder().encodeToString(sha256(bytes));
        for (HeaderList headers :
                List.of(HeaderList.EMPTY, HeaderList.EMPTY.with("content-encoding", "x-nothing, x-less"))) {
            ObjectRef object = new ObjectRef(bucket(), new ObjectKey("with-trailer"));
            Trailer trailer = new Trailer("x-amz-checksum-sha256", () -> sum);
            Flux<ByteBuf> pieces = Flux.just(Unpooled.wrappedBuffer(bytes));
            WriteResult written = Objects.requireNonNull(backend()
                    .put(
                            new NewObject(object, headers, WriteCondition.ALWAYS),
                            new UploadBody(bytes.length, pieces, Optional.of(trailer)))
                    .block());

            ObjectContent read = Objects.requireNonNull(
                    backend().open(ReadRequest.of(object)).block());

            assertThat(ContentReader.read(read)).isEqualTo(bytes);
            assertThat(read.head().eTag()).isEqualTo(written.eTag());
            assertThat(read.head().headers().first("content-encoding").map(this::spaceless))
                    .isEqualTo(headers.first("content-encoding").map(this::spaceless));
        }
    }

    private String spaceless(String text) {
        return text.replace(" ", "");
    }

    @Test
    void trailerThatIsWrongIsRefused() {
        ObjectRef object = new ObjectRef(bucket(), new ObjectKey("wrong-trailer"));
        Trailer trailer = new Trailer("x-amz-checksum-crc32", () -> "AAAAAA==");
        Flux<ByteBuf> pieces = Flux.just(Unpooled.wrappedBuffer(new byte[] {1, 2, 3}));

        assertThatThrownBy(() -> backend()
                        .put(
                                new NewObject(object, HeaderList.EMPTY, WriteCondition.ALWAYS),
                                new UploadBody(3, pieces, Optional.of(trailer)))
                        .block())
                .isInstanceOf(BackendException.class);
    }

    @Test
    void metadataInUtf8IsStoredAsItsBytes() {
        ObjectRef object = new ObjectRef(bucket(), new ObjectKey("metadata"));
        String value = new String("grün €".getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        HeaderList headers = HeaderList.EMPTY.with("x-amz-meta-colour", value);
        NewObject described = new NewObject(object, headers, WriteCondition.ALWAYS);

        backend()
                .put(described, UploadBody.of(1, Flux.just(Unpooled.wrappedBuffer(new byte[1]))))
                .block();

        assertThat(Objects.requireNonNull(backend().head(ReadRequest.of(object)).block())
                        .head()
                        .headers()
                        .first("x-amz-meta-colour"))
                .contains(value);
    }

    @Test
    void tagsAreForwarded() {
        ObjectRef object = new ObjectRef(bucket(), new ObjectKey("tagged//object"));
        seed(object.key(), new byte[1], HeaderList.EMPTY);
        String tags = "<Tagging><TagSet><Tag><Key>k</Key><Value>v</Value></Tag></TagSet></Tagging>";

        forward("PUT", object, tags);

        assertThat(forward("GET", object, "")).contains("<Key>k</Key>", "<Value>v</Value>");
    }

    private String forward(String method, ObjectRef object, String body) {
        ForwardRequest request = new ForwardRequest(
                method,
                object.bucket(),
                Optional.of(object.key()),
                List.of(new QueryParameter("tagging", "")),
                HeaderList.EMPTY,
                ByteBuffer.wrap(body.getBytes(StandardCharsets.UTF_8)));
        return StandardCharsets.UTF_8
                .decode(Objects.requireNonNull(backend().forward(request).block())
                        .body())
                .toString();
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
