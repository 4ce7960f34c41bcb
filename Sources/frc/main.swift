print("frc")
