package io.millrace.gateway.s3.gate;

import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.signature.PayloadHeaders;
import io.millrace.auth.signature.UploadFormVerification;
import io.millrace.backend.spi.UploadBody;
import io.netty.buffer.ByteBuf;
import java.util.Map;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A browser upload form (POST Object) that passed authentication and policy. Only {@link S3RequestAuthorizer} creates
 * one.
 */
public final class AuthorizedForm {
    private final UploadFormVerification grant;
    private final Map<String, String> fields;
    private final boolean mayAdminister;

    AuthorizedForm(UploadFormVerification grant, Map<String, String> fields, boolean mayAdminister) {
        this.grant = grant;
        this.fields = fields;
        this.mayAdminister = mayAdminister;
    }

    /** Returns whether the signer of the form may administer the key it writes. */
    public boolean mayAdminister() {
        return mayAdminister;
    }

    /** Returns the file as a verified body, as {@link AuthorizedRequest#body} does for a request. */
    public Mono<UploadBody> body(long length, Flux<ByteBuf> file) {
        return Mono.defer(() -> {
            try {
                grant.length().require(length);
            } catch (RequestVerificationException refused) {
                throw SignatureErrorMapper.toS3(refused);
            }
            return VerifiedBodyReader.verified(
                    VerifiedBodyReader.read(grant.authentication(), PayloadHeaders.ofForm(fields, length), file));
        });
    }
}
