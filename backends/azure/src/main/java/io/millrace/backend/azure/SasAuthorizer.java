package io.millrace.backend.azure;

import io.millrace.backend.spi.RequestForwarder.QueryParameter;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.config.Secret;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import reactor.core.publisher.Mono;

/**
 * Adds a shared access signature to the query of each request.
 *
 * @see <a
 * href="https://learn.microsoft.com/rest/api/storageservices/delegate-access-with-shared-access-signature">Shared
 * access signatures</a>
 */
final class SasAuthorizer implements RequestAuthorizer {
    private final Secret sas;
    private final List<QueryParameter> parameters;

    /** @param sas without a question mark */
    SasAuthorizer(Secret sas) {
        this.sas = sas;
        this.parameters = Stream.of(sas.reveal().split("&", -1))
                .filter(pair -> pair.contains("="))
                .map(SasAuthorizer::parameter)
                .toList();
    }

    @Override
    public Mono<SignableRequest> authorize(SignableRequest request) {
        return Mono.just(request.with(parameters));
    }

    @Override
    public Mono<CopySourceAccess> grantRead(ObjectRef source, String url) {
        return Mono.just(new CopySourceAccess(url + "?" + sas.reveal(), HeaderList.EMPTY));
    }

    private static QueryParameter parameter(String pair) {
        int equals = pair.indexOf('=');
        return new QueryParameter(decode(pair.substring(0, equals)), decode(pair.substring(equals + 1)));
    }

    /** A plus sign is one: signatures are Base64, and some tools do not encode it. */
    private static String decode(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }
}
