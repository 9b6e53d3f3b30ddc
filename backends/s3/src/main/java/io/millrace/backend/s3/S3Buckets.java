package io.millrace.backend.s3;

import io.millrace.backend.s3.Road.Manner;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.HeaderList;
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

    Mono<Void> create(BucketName bucket, HeaderList headers) {
        WireRequest request = WireRequest.of(SdkHttpMethod.PUT, bucket).with(headers);
        return send(located(request, headers), Asked.write("making", bucket));
    }

    Mono<Void> delete(BucketName bucket) {
        return send(WireRequest.of(SdkHttpMethod.DELETE, bucket), Asked.write("DELETE", bucket));
    }

    private WireRequest located(WireRequest request, HeaderList headers) {
        String region = client.origin().region();
        return region.equals(UNNAMED_REGION)
                ? request
                : request.with(headers.with("content-type", "application/xml"))
                        .with(new XmlText("CreateBucketConfiguration")
                                .element("LocationConstraint", region)
                                .bytes());
    }

    /** Not repeated: a second answer would tell of the first one's deed as if it were somebody else's. */
    private Mono<Void> send(WireRequest request, Asked asked) {
        return client.exchange(request, Manner.ONCE)
                .onErrorMap(failure -> failures.of(asked, failure))
                .then();
    }
}
