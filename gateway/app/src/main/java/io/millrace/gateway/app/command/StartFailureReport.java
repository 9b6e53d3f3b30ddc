package io.millrace.gateway.app.command;

import io.millrace.gateway.app.LogSettings;
import io.millrace.gateway.app.SettingsLoader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.json.JsonMapper;

/**
 * A report of a server that cannot start, in the format of its log: there is no log yet. As JSON it is one line, an
 * object as the log has them.
 */
record StartFailureReport(boolean isJson) {
    /**
     * Returns that of a server with these settings, which may be what is wrong.
     *
     * @param file the settings file; empty if there is none
     */
    static StartFailureReport of(Optional<Path> file, Map<String, String> environment) {
        return new StartFailureReport(SettingsLoader.logFormat(file, environment) == LogSettings.Format.JSON);
    }

    /** Returns the report of what an operator can mend, without a final line break. */
    String text(Exception refusal) {
        return isJson ? json(refusal, "") : "millrace: " + refusal.getMessage();
    }

    /** Returns the report of a fault that nobody expected; empty if its stack trace is to be printed as it is. */
    Optional<String> ofFault(Exception fault) {
        StringWriter trace = new StringWriter();
        fault.printStackTrace(new PrintWriter(trace, true));
        return isJson ? Optional.of(json(fault, trace.toString())) : Optional.empty();
    }

    private static String json(Exception failure, String trace) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("@timestamp", Instant.now().toString());
        line.put("log", Map.of("level", "ERROR", "logger", StartFailureReport.class.getName()));
        line.put("process", Map.of("pid", ProcessHandle.current().pid()));
        line.put("service", Map.of("name", "millrace"));
        line.put("message", String.valueOf(failure.getMessage()));
        if (!trace.isEmpty()) {
            line.put("error", Map.of("type", failure.getClass().getName(), "stack_trace", trace));
        }
        line.put("ecs", Map.of("version", "8.11"));
        return JsonMapper.shared().writeValueAsString(line);
    }
}
