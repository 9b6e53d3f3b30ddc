package io.millrace.gateway.bucket;

import io.millrace.config.Setting;
import java.util.List;

/**
 * One rule of what scripts of other origins may do with a bucket in a browser.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/ManageCorsUsing.html">Elements of a CORS
 *     configuration</a>
 */
public record CorsSettings(
        @Setting(
                value = "Origins that may, such as https://lab.example.org; each with one * at most.",
                example = "[ https://lab.example.org ]")
        List<String> origins,

        @Setting(value = "Methods that they may use.", byDefault = "[GET, HEAD]")
        List<String> methods,

        @Setting("Header fields that they may send; each with one * at most.")
        List<String> headers,

        @Setting("Header fields of answers that scripts may see.")
        List<String> expose,

        @Setting(value = "For how many seconds a browser may remember this.", byDefault = "600")
        int maxAgeSeconds) {
    public CorsSettings {
        origins = List.copyOf(origins);
        methods = List.copyOf(methods);
        headers = List.copyOf(headers);
        expose = List.copyOf(expose);
    }
}
