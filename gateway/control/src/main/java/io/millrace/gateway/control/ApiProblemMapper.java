package io.millrace.gateway.control;

import io.millrace.backend.spi.BackendException;
import io.millrace.cache.disk.DiskUnavailableException;
import io.millrace.cache.metadata.MetadataStoreUnavailableException;
import io.millrace.gateway.error.BackendErrorMapper;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.jobs.plan.InvalidJobException;
import io.millrace.gateway.jobs.plan.JobException;
import io.millrace.gateway.jobs.store.JobCannotContinueException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.http.HttpStatus;
import org.springframework.web.ErrorResponse;
import org.springframework.web.server.MissingRequestValueException;
import org.springframework.web.server.ServerWebInputException;
import tools.jackson.core.JacksonException;

/** Maps exceptions to the problems that API clients see. */
final class ApiProblemMapper {
    private ApiProblemMapper() {}

    /** Returns the problem for {@code failure}; empty for an unexpected failure. */
    static Optional<ApiProblem> toProblem(Throwable failure) {
        if (failure instanceof ApiException refused) {
            return Optional.of(refused.problem());
        }
        if (failure instanceof InvalidJobException invalid) {
            return Optional.of(
                    ApiProblem.of(HttpStatus.BAD_REQUEST, text(invalid)).at(invalid.field()));
        }
        if (failure instanceof JobException refused) {
            return Optional.of(ApiProblem.of(status(refused.kind()), text(refused)));
        }
        if (failure instanceof JobCannotContinueException
                || failure instanceof DiskUnavailableException
                || failure instanceof MetadataStoreUnavailableException) {
            return Optional.of(ApiProblem.of(HttpStatus.SERVICE_UNAVAILABLE, text(failure)));
        }
        if (failure instanceof S3Exception s3) {
            return Optional.of(s3(s3));
        }
        if (failure instanceof BackendException backend) {
            return Optional.of(s3(BackendErrorMapper.toS3(backend)));
        }
        if (failure instanceof ServerWebInputException input) {
            return Optional.of(input(input));
        }
        return failure instanceof ErrorResponse response ? Optional.of(routing(response)) : Optional.empty();
    }

    private static HttpStatus status(JobException.Kind kind) {
        return switch (kind) {
            case NO_SUCH_JOB -> HttpStatus.NOT_FOUND;
            case DENIED -> HttpStatus.FORBIDDEN;
            case CONFLICT -> HttpStatus.CONFLICT;
            case FULL -> HttpStatus.TOO_MANY_REQUESTS;
            case UNSUPPORTED -> HttpStatus.NOT_IMPLEMENTED;
        };
    }

    private static ApiProblem s3(S3Exception failure) {
        return new ApiProblem(failure.code(), failure.status(), failure.text(), null);
    }

    private static ApiProblem input(ServerWebInputException input) {
        for (Throwable cause = input.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof JacksonException json) {
                return JsonErrorTranslator.toProblem(json);
            }
        }
        if (input instanceof MissingRequestValueException missing) {
            return ApiProblem.of(HttpStatus.BAD_REQUEST, "is missing").at(missing.getName());
        }
        @Nullable MethodParameter parameter = input.getMethodParameter();
        String name = parameter == null ? null : parameter.getParameterName();
        return name == null || name.equals("request")
                ? ApiProblem.of(HttpStatus.BAD_REQUEST, "A body in JSON is needed.")
                : ApiProblem.of(HttpStatus.BAD_REQUEST, "is not of the right form")
                        .at(name);
    }

    private static ApiProblem routing(ErrorResponse response) {
        HttpStatus status = HttpStatus.valueOf(response.getStatusCode().value());
        return ApiProblem.of(
                status,
                switch (status) {
                    case NOT_FOUND -> "There is nothing at this path; /api/v1/openapi.json has those there are.";
                    case METHOD_NOT_ALLOWED -> "This path has other methods; Allow names them.";
                    case UNSUPPORTED_MEDIA_TYPE -> "Send application/json, and say so in Content-Type.";
                    case NOT_ACCEPTABLE -> "The answer is of another type than Accept asks for.";
                    default -> status.getReasonPhrase() + '.';
                });
    }

    private static String text(Throwable failure) {
        return String.valueOf(failure.getMessage());
    }
}
