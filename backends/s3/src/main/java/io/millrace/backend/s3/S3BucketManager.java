package io.millrace.backend.s3;

import io.millrace.backend.http.AcknowledgementCheck;
import io.millrace.backend.http.BufferedResponse;
import io.millrace.backend.http.ResponseDescription;
import io.millrace.backend.s3.S3RequestExecutor.ProcessingTime;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BucketManager;
import io.millrace.backend.spi.BucketManager.BucketTag;
import io.millrace.backend.spi.BucketManager.NewBucket;
import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.kit.XmlElement;
import io.millrace.kit.XmlException;
import io.millrace.kit.XmlParser;
import io.millrace.kit.XmlWriter;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Mono;
import software.amazon.awssdk.http.SdkHttpMethod;

/** Lists, creates and deletes buckets: ListBuckets, HeadBucket, CreateBucket and DeleteBucket. */
final class S3BucketManager implements BucketManager {
    /** The default region, which CreateBucket must not name. */
    private static final String UNNAMED_REGION = "us-east-1";

    private final S3Client client;
    private final CredentialsRejectionDetector credentials;

    S3BucketManager(S3Client client) {
        this.client = client;
        this.credentials = new CredentialsRejectionDetector(anyBucket());
    }

    /** Returns what knows whether the server accepts the credentials. */
    CredentialsRejectionDetector credentials() {
        return credentials;
    }

    @Override
    public Mono<List<BucketInfo>> listBuckets() {
        return bucketPage("")
                .expand(page -> Mono.justOrEmpty(page.nonEmptyTextOf("ContinuationToken"))
                        .flatMap(this::bucketPage))
                .flatMapIterable(S3BucketManager::bucketsOf)
                .sort(Comparator.comparing(BucketInfo::name))
                .collectList()
                .onErrorMap(ErrorResponseException.class, S3BucketManager::explain)
                .onErrorMap(failure -> client.failures().map(ErrorResponseContext.buckets(), failure));
    }

    /** Sends the cheapest ListBuckets request, to find out whether the credentials are accepted. */
    private Mono<Void> anyBucket() {
        return client.exchange(
                        UnsignedRequest.of(SdkHttpMethod.GET).withParameter("max-buckets", "1"), ProcessingTime.SHORT)
                .onErrorMap(failure -> client.failures().map(ErrorResponseContext.buckets(), failure))
                .then();
    }

    @Override
    public Mono<BucketInfo> headBucket(BucketName name) {
        Mono<BucketInfo> head = client.open(UnsignedRequest.of(SdkHttpMethod.HEAD, name))
                .flatMap(response -> response.body().drain().thenReturn(new HeaderList(response.fields())))
                .doOnNext(AcknowledgementCheck::requireNoPage)
                .onErrorResume(failure -> failed(name, failure))
                .flatMap(fields -> AcknowledgementCheck.isOfAStore(fields) ? Mono.<Void>empty() : requireS3(name))
                .thenReturn(new BucketInfo(name, Optional.empty()));
        return credentials.explainHeadFailure(head);
    }

    /**
     * Fails as a HEAD has failed, or as a list does where only that tells why, because a HEAD has no body: a 400 may be
     * about the bucket's name, and of a server whose headers do not tell that it speaks S3 a 404 and a 403 may be of
     * any web server.
     */
    private Mono<HeaderList> failed(BucketName bucket, Throwable failure) {
        Mono<HeaderList> failed = Mono.error(client.failures().map(ErrorResponseContext.bucket(bucket), failure));
        if (!(failure instanceof ErrorResponseException refused)) {
            return failed;
        }
        boolean isOfAStore = AcknowledgementCheck.isOfAStore(refused.headers());
        return credentials
                .explainHeadFailure(failed)
                .onErrorResume(
                        BackendException.class,
                        explained -> isUnclear(explained.kind(), isOfAStore)
                                ? list(bucket)
                                        .onErrorMap(other ->
                                                client.failures().map(ErrorResponseContext.list(bucket), other))
                                        .then(Mono.error(explained))
                                : Mono.error(explained));
    }

    private static boolean isUnclear(FailureKind ofHead, boolean isOfAStore) {
        return switch (ofHead) {
            case INVALID_REQUEST -> true;
            case NO_SUCH_BUCKET, ACCESS_DENIED -> !isOfAStore;
            default -> false;
        };
    }

    /**
     * Makes sure that a server speaks S3 whose headers do not tell: any web server answers a HEAD. Its list, or its
     * refusal of one, is S3's XML.
     */
    private Mono<Void> requireS3(BucketName bucket) {
        return list(bucket)
                .onErrorResume(
                        ErrorResponseException.class,
                        refused -> refused.body().code().isEmpty() ? Mono.error(refused) : Mono.empty())
                .onErrorMap(failure -> client.failures().map(ErrorResponseContext.list(bucket), failure));
    }

    /** Lists one key of a bucket; fails if the response is not S3's, or is S3's refusal. */
    private Mono<Void> list(BucketName bucket) {
        UnsignedRequest one = UnsignedRequest.of(SdkHttpMethod.GET, bucket)
                .withParameter("list-type", "2")
                .withParameter("encoding-type", "url")
                .withParameter("max-keys", "1");
        return client.exchange(one, ProcessingTime.SHORT)
                .doOnNext(response -> document(response, "ListBucketResult"))
                .onErrorMap(ErrorResponseException.class, S3BucketManager::explain)
                .then();
    }

    @Override
    public Mono<Void> createBucket(NewBucket bucket) {
        UnsignedRequest request =
                UnsignedRequest.of(SdkHttpMethod.PUT, bucket.name()).with(bucket.headers());
        ErrorResponseContext context = ErrorResponseContext.write("creation", bucket.name());
        return client.exchange(described(request, bucket), ProcessingTime.SHORT)
                .map(AcknowledgementCheck::requireNoPage)
                .onErrorMap(failure -> client.failures().map(context, failure))
                .then();
    }

    @Override
    public Mono<Void> deleteBucket(BucketName bucket) {
        ErrorResponseContext context = ErrorResponseContext.write("DELETE", bucket);
        return client.exchange(UnsignedRequest.of(SdkHttpMethod.DELETE, bucket), ProcessingTime.SHORT)
                .map(AcknowledgementCheck::requireEmpty)
                .onErrorMap(failure -> client.failures().map(context, failure))
                .then();
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

    private Mono<XmlElement> bucketPage(String token) {
        UnsignedRequest request =
                UnsignedRequest.of(SdkHttpMethod.GET).withNonEmptyParameter("continuation-token", token);
        return client.exchange(request, ProcessingTime.SHORT)
                .map(response -> document(response, "ListAllMyBucketsResult"));
    }

    private static XmlElement document(BufferedResponse response, String root) {
        try {
            return XmlParser.parse(response.bytes(), root);
        } catch (XmlException e) {
            throw noS3("%s (%s)".formatted(ResponseDescription.of(response), e.getMessage()));
        }
    }

    /** Explains a refusal that may be of any web server: each S3 server has a code for what these statuses mean. */
    private static Exception explain(ErrorResponseException refused) {
        boolean isOfS3 = !refused.body().code().isEmpty() || AcknowledgementCheck.isOfAStore(refused.headers());
        return switch (refused.head().status()) {
            case 400, 403, 404, 405 -> isOfS3 ? refused : noS3(refused.said());
            default -> refused;
        };
    }

    private static BackendException noS3(String said) {
        return new BackendException(
                FailureKind.INVALID_RESPONSE,
                "no S3 server: its response to a list is not S3's XML, but %s; check the backend's endpoint"
                        .formatted(said));
    }

    /** Returns the buckets of a page, but those whose names are not valid. */
    private static List<BucketInfo> bucketsOf(XmlElement page) {
        return page.all("Buckets")
                .flatMap(buckets -> buckets.all("Bucket"))
                .filter(bucket ->
                        BucketName.isValid(bucket.nonEmptyTextOf("Name").orElse("")))
                .map(bucket -> new BucketInfo(
                        new BucketName(bucket.requiredTextOf("Name")),
                        bucket.nonEmptyTextOf("CreationDate").map(WriteResponseParser::time)))
                .toList();
    }
}
