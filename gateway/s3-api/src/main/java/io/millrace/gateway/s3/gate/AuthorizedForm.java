package io.millrace.gateway.s3.gate;

import io.millrace.auth.AuthException;
import io.millrace.auth.payload.PayloadHeaders;
import io.millrace.auth.post.VerifiedUploadForm;
import io.millrace.backend.spi.UploadBody;
import io.netty.buffer.ByteBuf;
import java.util.Map;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A browser upload form (POST Object) that passed authentication and policy. Only {@link Gate} creates one. */
public final class AuthorizedForm {
    private final VerifiedUploadForm grant;
    private final Map<String, String> fields;
    private final boolean mayAdminister;

    AuthorizedForm(VerifiedUploadForm grant, Map<String, String> fields, boolean mayAdminister) {
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
            } catch (AuthException refused) {
                throw SignatureErrors.toS3(refused);
            }
            return VerifiedBodyReader.verified(
                    VerifiedBodyReader.read(grant.authentication(), PayloadHeaders.ofForm(fields, length), file));
        });
    }
}
