package io.millrace.backend.s3;

import io.millrace.backend.s3.Road.Manner;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.BucketWriter.NewBucket;
import io.millrace.backend.spi.BucketWriter.Tag;
import java.util.List;
import reactor.core.publisher.Mono;
import software.amazon.awssdk.http.SdkHttpMethod;

/** Makes and deletes buckets: CreateBucket and DeleteBucket. */
final class S3Buckets {
    /** The region whose buckets are made without naming it, and with it are refused. */
    private static final String UNNAMED_REGION = "us-east-1";

    private final S3Client client;
    private final Failures failures;

    S3Buckets(S3Client client) {
        this.client = client;
        this.failures = new Failures(client.origin());
    }

    Mono<Void> create(NewBucket bucket) {
        WireRequest request = WireRequest.of(SdkHttpMethod.PUT, bucket.name()).with(bucket.headers());
        return send(described(request, bucket), Asked.write("making", bucket.name()));
    }

    Mono<Void> delete(BucketName bucket) {
        return send(WireRequest.of(SdkHttpMethod.DELETE, bucket), Asked.write("DELETE", bucket));
    }

    private WireRequest described(WireRequest request, NewBucket bucket) {
        String region = client.origin().region();
        boolean named = !region.equals(UNNAMED_REGION);
        if (!named && bucket.tags().isEmpty()) {
            return request;
        }
        XmlText document = new XmlText("CreateBucketConfiguration");
        if (named) {
            document.element("LocationConstraint", region);
        }
        addTags(document, bucket.tags());
        return request.with(bucket.headers().with("content-type", "application/xml"))
                .with(document.bytes());
    }

    private static void addTags(XmlText document, List<Tag> tags) {
        if (tags.isEmpty()) {
            return;
        }
        document.open("Tags");
        for (Tag tag : tags) {
            document.open("Tag")
                    .element("Key", tag.key())
                    .element("Value", tag.value())
                    .close("Tag");
        }
        document.close("Tags");
    }

    /** Not repeated: a second answer would tell of the first one's deed as if it were somebody else's. */
    private Mono<Void> send(WireRequest request, Asked asked) {
        return client.exchange(request, Manner.ONCE)
                .onErrorMap(failure -> failures.of(asked, failure))
                .then();
    }
}
