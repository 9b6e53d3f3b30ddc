package io.millrace.gateway.post;

import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.bucket.Buckets;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.freshness.ObjectWrites;
import io.millrace.gateway.gate.Admission;
import io.millrace.gateway.gate.FormAdmission;
import io.millrace.gateway.gate.Gate;
import io.millrace.gateway.gate.S3Handler;
import io.millrace.gateway.http.ObjectAddress;
import io.millrace.gateway.http.S3Answer;
import io.millrace.gateway.http.S3Operation;
import java.util.HashMap;
import java.util.Map;
import reactor.core.publisher.Mono;

/**
 * Stores the file of a browser's form. Who may is said by the form's policy, all of whose conditions are evaluated.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/RESTObjectPOST.html">POST Object</a>
 */
public final class PostObject implements S3Handler {
    private final Gate gate;
    private final Buckets buckets;
    private final ObjectWrites writes;

    public PostObject(Gate gate, Buckets buckets, ObjectWrites writes) {
        this.gate = gate;
        this.buckets = buckets;
        this.writes = writes;
    }

    /** A form that may be stored. */
    private record Step(BucketView bucket, ObjectKey key, Map<String, String> fields) {}

    @Override
    public S3Operation operation() {
        return S3Operation.POST_OBJECT;
    }

    @Override
    public Mono<S3Answer> handle(Admission admission) {
        if (admission.request().body().announced() < 0) {
            throw new S3Exception(S3ErrorCode.MISSING_CONTENT_LENGTH);
        }
        return FormReader.read(admission.request().body(), boundary(admission))
                .flatMap(form -> Mono.defer(() -> store(admission, form)).doOnError(failure -> form.discard()));
    }

    private Mono<S3Answer> store(Admission admission, Form form) {
        Map<String, String> fields = new HashMap<>(form.fields());
        String name = fields.getOrDefault("key", "");
        fields.put("key", name.replace("${filename}", form.fileName()));
        ObjectKey key = key(fields.getOrDefault("key", ""));
        FormAdmission admitted = gate.admitForm(admission, fields, key);
        BucketView bucket = buckets.find(admission.bucket());
        Step step = new Step(bucket, key, fields);
        NewObject object =
                new NewObject(bucket.at(key), FormHeaders.of(fields, bucket, admitted), WriteCondition.ALWAYS);
        return admitted.body(form.length(), form.file())
                .flatMap(body -> writes.put(bucket, object, body))
                .map(written -> FormAnswers.of(
                        step.bucket().name(),
                        step.key(),
                        ObjectAddress.of(admission.request(), step.bucket().name(), step.key()),
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
                            "Bucket POST must contain a field named 'key'.  If it is specified, please check the order of"
                                    + " the fields.")
                    .with("ArgumentName", "key")
                    .with("ArgumentValue", "");
        }
    }

    private static String boundary(Admission admission) {
        String type = admission.request().headers().first("content-type").orElse("");
        return FormHead.boundary(type)
                .orElseThrow(() -> new S3Exception(
                        412,
                        "PreconditionFailed",
                        "At least one of the pre-conditions you specified did not hold: Bucket POST must be of the"
                                + " enclosure-type multipart/form-data"));
    }
}
