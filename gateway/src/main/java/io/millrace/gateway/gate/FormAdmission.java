package io.millrace.gateway.gate;

import io.millrace.auth.AuthException;
import io.millrace.auth.payload.PayloadHeaders;
import io.millrace.auth.payload.PayloadLimits;
import io.millrace.auth.payload.PayloadReader;
import io.millrace.auth.post.PostGrant;
import io.millrace.backend.spi.UploadBody;
import io.millrace.gateway.error.S3Exception;
import io.netty.buffer.ByteBuf;
import java.util.Map;
import reactor.core.publisher.Flux;

/** The gate's word that a form may store this file. Only {@link Gate} makes one. */
public final class FormAdmission {
    private final PostGrant grant;
    private final Map<String, String> fields;

    FormAdmission(PostGrant grant, Map<String, String> fields) {
        this.grant = grant;
        this.fields = fields;
    }

    /**
     * The file, held against everything that was said of it.
     *
     * @throws S3Exception if it may not have this length, or what the fields say of it cannot be
     */
    public UploadBody body(long length, Flux<ByteBuf> file) {
        try {
            grant.length().require(length);
            UploadBody body = PayloadReader.of(
                            grant.who(), PayloadHeaders.ofForm(fields, length), PayloadLimits.defaults())
                    .body(file);
            return new UploadBody(
                    body.length(),
                    body.pieces().onErrorMap(AuthException.class, SignatureErrors::toS3),
                    body.trailer());
        } catch (AuthException refused) {
            throw SignatureErrors.toS3(refused);
        }
    }
}
