package io.millrace.backend.s3;

import io.millrace.backend.http.xml.XmlWriter;
import io.millrace.backend.s3.client.RequestExecutor.RetryMode;
import io.millrace.backend.s3.client.S3Client;
import io.millrace.backend.s3.request.UnsignedRequest;
import io.millrace.backend.s3.response.BackendExceptionMapper;
import io.millrace.backend.s3.response.ErrorContext;
import io.millrace.backend.spi.BucketManager.BucketTag;
import io.millrace.backend.spi.BucketManager.NewBucket;
import io.millrace.backend.spi.object.BucketName;
import java.util.List;
import reactor.core.publisher.Mono;
import software.amazon.awssdk.http.SdkHttpMethod;

/** Creates and deletes buckets: CreateBucket and DeleteBucket. */
final class S3BucketManager {
    /** The default region, which CreateBucket must not name. */
    private static final String UNNAMED_REGION = "us-east-1";

    private final S3Client client;
    private final BackendExceptionMapper failures;

    S3BucketManager(S3Client client) {
        this.client = client;
        this.failures = new BackendExceptionMapper(client.endpoint());
    }

    Mono<Void> create(NewBucket bucket) {
        UnsignedRequest request =
                UnsignedRequest.of(SdkHttpMethod.PUT, bucket.name()).with(bucket.headers());
        return send(described(request, bucket), ErrorContext.write("creation", bucket.name()));
    }

    Mono<Void> delete(BucketName bucket) {
        return send(UnsignedRequest.of(SdkHttpMethod.DELETE, bucket), ErrorContext.write("DELETE", bucket));
    }

    private UnsignedRequest described(UnsignedRequest request, NewBucket bucket) {
        String region = client.endpoint().region();
        boolean named = !region.equals(UNNAMED_REGION);
        if (!named && bucket.tags().isEmpty()) {
            return request;
        }
        XmlWriter document = XmlWriter.of("CreateBucketConfiguration");
        if (named) {
            document.element("LocationConstraint", region);
        }
        addTags(document, bucket.tags());
        return request.with(bucket.headers().with("content-type", "application/xml"))
                .with(document.bytes());
    }

    private static void addTags(XmlWriter document, List<BucketTag> tags) {
        if (tags.isEmpty()) {
            return;
        }
        document.open("Tags");
        for (BucketTag tag : tags) {
            document.open("Tag")
                    .element("Key", tag.key())
                    .element("Value", tag.value())
                    .close();
        }
        document.close();
    }

    /** Not repeated: the second response would report the first one's result as somebody else's. */
    private Mono<Void> send(UnsignedRequest request, ErrorContext context) {
        return client.exchange(request, RetryMode.IF_UNPROCESSED)
                .onErrorMap(failure -> failures.map(context, failure))
                .then();
    }
}
