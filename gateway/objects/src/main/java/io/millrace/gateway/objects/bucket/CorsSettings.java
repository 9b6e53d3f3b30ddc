package io.millrace.gateway.objects.bucket;

import io.millrace.config.SettingDescription;
import java.util.List;

/**
 * A CORS rule of a bucket.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/ManageCorsUsing.html">Elements of a CORS
 *     configuration</a>
 */
public record CorsSettings(
        @SettingDescription(
                value = "Allowed origins, such as https://lab.example.org; each with at most one *.",
                example = "[ https://lab.example.org ]")
        List<String> origins,

        @SettingDescription(value = "Allowed methods.", defaultValue = "[GET, HEAD]")
        List<String> methods,

        @SettingDescription("Allowed request headers; each with at most one *.")
        List<String> headers,

        @SettingDescription("Response headers that scripts may read.")
        List<String> exposeHeaders,

        @SettingDescription(
                value = "How many seconds a browser may cache the result of a preflight request.",
                defaultValue = "600")
        int maxAgeSeconds) {
    public CorsSettings {
        origins = List.copyOf(origins);
        methods = List.copyOf(methods);
        headers = List.copyOf(headers);
        exposeHeaders = List.copyOf(exposeHeaders);
    }
}
