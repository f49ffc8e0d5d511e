install(TARGETS hooke hooke_command EXPORT hookeTargets)
