package io.millrace.gateway.s3.object;

import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.write.FencedWrites;
import io.millrace.gateway.s3.gate.AuthorizedForm;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.gate.S3Handler;
import io.millrace.gateway.s3.gate.S3RequestAuthorizer;
import io.millrace.gateway.s3.protocol.S3Response;
import java.util.HashMap;
import java.util.Map;
import reactor.core.publisher.Mono;

/**
 * Serves POST Object: stores the file that a browser uploads by an HTML form. The policy document in the form
 * authorizes it; all its conditions are evaluated.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/RESTObjectPOST.html">POST Object</a>
 */
record PostObject(S3RequestAuthorizer gate, BucketRegistry buckets, FencedWrites writes) implements S3Handler {
    /** A form that passed authorization. */
    private record Step(BucketView bucket, ObjectKey key, Map<String, String> fields) {}

    @Override
    public Mono<S3Response> handle(AuthorizedRequest authorized) {
        if (authorized.request().body().announcedLength() < 0) {
            throw new S3Exception(S3ErrorCode.MISSING_CONTENT_LENGTH);
        }
        return MultipartFormReader.read(authorized.request().body(), boundary(authorized))
                .flatMap(form -> Mono.defer(() -> store(authorized, form)).doOnError(failure -> form.discard()));
    }

    private Mono<S3Response> store(AuthorizedRequest authorized, UploadForm form) {
        Map<String, String> fields = new HashMap<>(form.fields());
        String name = fields.getOrDefault("key", "");
        fields.put("key", name.replace("${filename}", form.fileName()));
        ObjectKey key = key(fields.getOrDefault("key", ""));
        AuthorizedForm admitted = gate.admitForm(authorized, fields, key);
        BucketView bucket = buckets.find(authorized.bucket());
        Step step = new Step(bucket, key, fields);
        NewObject object =
                new NewObject(bucket.at(key), FormToPutHeaders.of(fields, bucket, admitted), WriteCondition.ALWAYS);
        return admitted.body(form.length(), form.file())
                .flatMap(body -> writes.put(bucket, object, body))
                .map(written -> FormResponses.of(
                        step.bucket().name(),
                        step.key(),
                        ObjectUrl.of(authorized.request(), step.bucket().name(), step.key()),
                        step.fields(),
                        written));
    }

    private static ObjectKey key(String text) {
        try {
            return new ObjectKey(text);
        } catch (IllegalArgumentException noKey) {
            if (!text.isEmpty()) {
                throw new S3Exception(S3ErrorCode.KEY_TOO_LONG);
            }
            throw new S3Exception(
                            S3ErrorCode.INVALID_ARGUMENT,
                            "Bucket POST must contain a field named 'key'.  If it is specified, please check the order"
                                    + " of the fields.")
                    .with("ArgumentName", "key")
                    .with("ArgumentValue", "");
        }
    }

    private static String boundary(AuthorizedRequest authorized) {
        String type = authorized.request().headers().first("content-type").orElse("");
        return UploadFormFields.boundary(type)
                .orElseThrow(() -> new S3Exception(
                        412,
                        "PreconditionFailed",
                        "At least one of the pre-conditions you specified did not hold: Bucket POST must be of the"
                                + " enclosure-type multipart/form-data"));
    }
}
