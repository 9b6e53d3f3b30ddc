package io.millrace.backend.azure;

import io.millrace.backend.spi.RequestForwarder.QueryParameter;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.config.Secret;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import reactor.core.publisher.Mono;

/**
 * Signs requests with a key of the storage account (Shared Key).
 *
 * @see <a href="https://learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key">Authorize with Shared
 * Key</a>
 */
final class SharedKeyAuthorizer implements RequestAuthorizer {
    /** Longer than the service works on one copy of the largest block. */
    private static final Duration SOURCE_VALIDITY = Duration.ofHours(1);

    /** The version that the form of {@link #readSignature} belongs to. */
    private static final String SAS_VERSION = "2020-12-06";

    private static final String ALGORITHM = "HmacSHA256";
    private static final List<String> STANDARD = List.of(
            "content-encoding",
            "content-language",
            "content-length",
            "content-md5",
            "content-type",
            "date",
            "if-modified-since",
            "if-match",
            "if-none-match",
            "if-unmodified-since",
            "range");

    private final String account;
    private final SecretKeySpec key;
    private final InstantSource clock;

    /** @param key in Base64 */
    SharedKeyAuthorizer(String account, Secret key, InstantSource clock) {
        this.account = account;
        this.key = new SecretKeySpec(Base64.getDecoder().decode(key.reveal()), ALGORITHM);
        this.clock = clock;
    }

    @Override
    public Mono<SignableRequest> authorize(SignableRequest request) {
        return Mono.fromSupplier(() -> request.with("authorization", authorization(request)));
    }

    @Override
    public Mono<CopySourceAccess> grantRead(ObjectRef source, String url) {
        return Mono.fromSupplier(() -> {
            String expiry = clock.instant()
                    .plus(SOURCE_VALIDITY)
                    .truncatedTo(ChronoUnit.SECONDS)
                    .toString();
            String query = "sv=%s&sr=b&sp=r&se=%s&sig=%s"
                    .formatted(
                            SAS_VERSION,
                            SignableRequest.encode(expiry),
                            SignableRequest.encode(readSignature(source, expiry)));
            return new CopySourceAccess(url + "?" + query, HeaderList.EMPTY);
        });
    }

    /** Returns the value of the {@code Authorization} header. */
    String authorization(SignableRequest request) {
        return "SharedKey %s:%s".formatted(account, sign(stringToSign(request)));
    }

    String stringToSign(SignableRequest request) {
        StringBuilder text = new StringBuilder(512).append(request.method()).append('\n');
        for (String name : STANDARD) {
            text.append(standard(request.headers(), name)).append('\n');
        }
        return text.append(canonicalHeaders(request.headers()))
                .append(canonicalResource(request))
                .toString();
    }

    /** Returns the signature of a SAS that allows to read one blob. */
    private String readSignature(ObjectRef source, String expiry) {
        // Permissions, start, expiry, resource, identifier, addresses, protocol, version, kind of resource, snapshot,
        // encryption scope, and five response headers.
        return sign("r\n\n%s\n/blob/%s/%s\n\n\n\n%s\nb\n\n\n\n\n\n\n".formatted(expiry, account, source, SAS_VERSION));
    }

    private static String standard(HeaderList headers, String name) {
        String value = headers.first(name).orElse("");
        return name.equals("content-length") && value.equals("0") ? "" : value;
    }

    private static String canonicalHeaders(HeaderList headers) {
        return headers.fields().stream()
                .filter(field -> field.name().startsWith("x-ms-"))
                .collect(Collectors.toMap(HeaderField::name, HeaderField::value, (a, b) -> a + "," + b, TreeMap::new))
                .entrySet()
                .stream()
                .map(field -> field.getKey() + ":" + field.getValue().strip() + "\n")
                .collect(Collectors.joining());
    }

    private String canonicalResource(SignableRequest request) {
        Map<String, List<String>> parameters = new TreeMap<>();
        for (QueryParameter parameter : request.query()) {
            parameters
                    .computeIfAbsent(parameter.name().toLowerCase(Locale.ROOT), name -> new ArrayList<>())
                    .add(parameter.value());
        }
        StringBuilder text = new StringBuilder("/").append(account).append(request.path());
        parameters.forEach((name, values) -> text.append('\n')
                .append(name)
                .append(':')
                .append(values.stream().sorted().collect(Collectors.joining(","))));
        return text.toString();
    }

    private String sign(String text) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return Base64.getEncoder().encodeToString(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
        }
    }
}
